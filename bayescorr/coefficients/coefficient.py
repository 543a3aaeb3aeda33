"""What a coefficient is: a function of (truth, observed), and what to call it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from bayescorr._numbers import FloatArray
from bayescorr.coefficients._pairs import Pairs, pair_up
from bayescorr.errors import OptionError

# A float for two vectors, else an array shaped like the leading axes.
Correlation = Any


@dataclass(frozen=True)
class Coefficient:
    """A coefficient: a function of (truth, observed), and what to call it.

    Attributes
    ----------
    name : str
        The name that selects it.
    label : str
        LaTeX, for tables and plots.
    description : str
        One line.
    citation : str
        Where it is defined.
    function : callable
        f(truth, observed), truth first.
    of_pairs : callable, optional
        Computes the coefficient of many pairs of vectors at once. Without it, ``function`` is
        called with two vectors at a time.
    of_top : callable, optional
        Computes it for a number of systems k, the ``function``'s argument. The name then ends in
        ``@k``, and a number in place of k selects the coefficient, as in ``tau@10``.
    least_k : int
        The smallest k.
    """

    name: str
    label: str
    description: str
    citation: str
    function: Callable[..., Any]
    of_pairs: Callable[[Pairs], FloatArray] | None = None
    of_top: Callable[[Pairs, int], FloatArray] | None = None
    least_k: int = 1

    def at(self, number: str) -> Coefficient:
        """Return the coefficient with a number, as typed, in place of k.

        Examples
        --------
        >>> from bayescorr.coefficients.top import TAU_AT_K
        >>> TAU_AT_K.at("10").description
        "Kendall's tau among the systems in the true top 10."
        """
        if not re.fullmatch("[0-9]{1,9}", number) or int(number) < self.least_k:
            raise OptionError(
                f"k must be a whole number, at least {self.least_k}, in the name {self.name}; got "
                f"{self.name[:-1]}{number}.",
                f"Example: {self.name[:-1]}10.",
            )
        return _with_k(self, int(number))


@lru_cache
def _with_k(family: Coefficient, k: int) -> Coefficient:
    # Cached, so that equal names are the same object.
    of_top: Any = family.of_top
    name, label, description = (
        re.sub(r"\bk\b", str(k), text) for text in (family.name, family.label, family.description)
    )
    return replace(
        family,
        name=name,
        label=label,
        description=description,
        function=partial(family.function, k=k),
        of_pairs=partial(of_top, k=k),
        of_top=None,
    )


def evaluate(
    of_pairs: Callable[..., FloatArray],
    truth: Any,
    observed: Any,
    higher_is_better: bool,
    **options: Any,
) -> Correlation:
    """Align, check and broadcast the means, and compute the coefficient of every pair."""
    values = of_pairs(pair_up(truth, observed, higher_is_better), **options)
    return float(values) if values.ndim == 0 else values
