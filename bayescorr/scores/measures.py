"""Names of measures: as trec_eval, ir-measures and others write them, and as one name for all.

ir-measures' names are the canonical ones: ``ndcg_cut_10`` and ``ndcg@10`` are nDCG@10.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from bayescorr.errors import Argument, ScoresError, listing

IR_MEASURES_MEASURE = re.compile(
    r"(Accuracy|AP|AP_IA|alpha_n?DCG|\u03b1_n?DCG|Bpref|BPM|Compat|n?ERR|n?ERR_IA|infAP|INS[QT]|IPrec"
    r"|Judged|nDCG|NERR\d+|n?NRBP|Num(Q|Rel|RelRet|Ret)|P|P_IA|R|RBP|Rprec|RR|SDCG"
    r"|Set(AP|F|P|R|RelP)|StRecall|Success)(\(.*\))?(@[\d.]+)?"
)
TREC_EVAL_MEASURE = re.compile(
    r"runid|relstring.*|num_\w+|(gm_)?map|gm_bpref|bpref|(I|R)prec\w*|recip_rank|iprec_at_\S+"
    r"|11pt_avg|(P|recall|relative_P|success|map_cut|ndcg_cut)_[\d.]+|R?ndcg\w*|G|binG|inf\w+"
    r"|utility\S*|set_\w+"
)

#: Other names of each measure, in lower case; a cutoff may follow them.
ALIASES = {
    "AP": ("ap", "map", "average_precision", "map_cut"),
    "P": ("p", "prec", "precision"),
    "R": ("r", "recall"),
    "nDCG": ("ndcg", "ndcg_cut"),
    "RR": ("rr", "mrr", "recip_rank", "reciprocal_rank"),
    "Rprec": ("rprec", "r_prec"),
    "Bpref": ("bpref",),
    "Success": ("success", "hit", "hits", "hit_rate"),
    "ERR": ("err",),
    "infAP": ("infap",),
    "IPrec": ("iprec", "iprec_at_recall"),
    "SetP": ("set_p",),
    "SetR": ("set_recall",),
    "SetF": ("set_f",),
    "SetAP": ("set_map",),
    "NumQ": ("num_q",),
    "NumRet": ("num_ret",),
    "NumRel": ("num_rel",),
    "NumRet(rel=1)": ("num_rel_ret",),
}
_CANONICAL = {alias: name for name, aliases in ALIASES.items() for alias in aliases}
_PARTS = re.compile(r"(?P<base>[a-z_]*?[a-z])(?:[_@]?(?P<cutoff>\d+(?:\.\d+)?))?")
#: A letter and a number may as well name a run (r1) or a person (p_1).
_LETTER = re.compile(r"[pr]_?\d.*|R_?\d.*|P([1-46-9]|[1-9]\d{3,})")

#: Measures outside information retrieval, in lower case; they have no other spelling.
_OTHERS = frozenset(
    {
        "accuracy",
        "acc",
        "exact_match",
        "em",
        "f1",
        "f1_score",
        "auc",
        "auroc",
        "bleu",
        "chrf",
        "rouge",
        "rouge_1",
        "rouge_2",
        "rouge_l",
        "rouge1",
        "rouge2",
        "rougel",
        "meteor",
        "bertscore",
        "perplexity",
        "loss",
        "mse",
        "rmse",
        "mae",
        "wer",
        "cer",
        "pass@1",
        "win_rate",
    }
)


def canonical(name: object) -> str | None:
    """Return ir-measures' name of a measure, or None if it has none.

    Examples
    --------
    >>> [canonical(name) for name in ("ndcg_cut_10", "ndcg@10", "map", "P_10", "bm25")]
    ['nDCG@10', 'nDCG@10', 'AP', 'P@10', None]
    """
    text = str(name).strip()
    if IR_MEASURES_MEASURE.fullmatch(text):
        return text
    parts = None if _LETTER.fullmatch(text) else _PARTS.fullmatch(text.lower())
    base = _CANONICAL.get(parts["base"]) if parts else None
    if base is None or parts is None or parts["cutoff"] is None:
        return base
    whole = parts["cutoff"].isdigit() or base == "IPrec"
    cut = base not in ("Bpref", "infAP", "Rprec") and not base.startswith(("Set", "Num"))
    return f"{base}@{parts['cutoff']}" if whole and cut else None


def is_measure(name: object) -> bool:
    """Return whether a name is that of a measure, of retrieval or of another field."""
    return canonical(name) is not None or str(name).strip().lower().replace("-", "_") in _OTHERS


def display(name: str) -> str:
    """Return the name of a measure to print: the canonical one, or the name itself."""
    return canonical(name) or name.strip()


def suggest(name: str) -> str | None:
    """Return the canonical name of the measure whose name is closest to a misspelt one.

    Examples
    --------
    >>> suggest("ndgc@10")
    'nDCG@10'
    """
    parts = _PARTS.fullmatch(name.strip().lower())
    close = get_close_matches(parts["base"], _CANONICAL, n=1) if parts else []
    if not parts or not close:
        return None
    return canonical(close[0] + (f"@{parts['cutoff']}" if parts["cutoff"] else ""))


def choose_measure(measure: str | None, found: Iterable[str], source: str) -> str:
    """Return the requested measure as a source spells it, or its only one.

    The request may have another spelling: AP for map, ndcg@10 for ndcg_cut_10.
    """
    names = list(found)
    options = listing(sorted(map(repr, names)))
    if measure is None:
        if len(names) == 1:
            return names[0]
        raise ScoresError(
            f"{source}: scores of {len(names)} measures: {options}.",
            ("Choose one with ", Argument("measure"), "."),
        )
    wanted = canonical(measure)
    matches = [name for name in names if name == measure] or [
        name for name in names if wanted is not None and canonical(name) == wanted
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise ScoresError(
            f"{source}: {measure!r} could be {' or '.join(map(repr, matches))}.",
            ("Choose one of them with ", Argument("measure"), "."),
        )
    close = _close(measure, names)
    hint = f"Did you mean {' or '.join(map(repr, close))}? " if close else ""
    raise ScoresError(
        f"{source}: no scores of measure {measure!r}.", f"{hint}Available measures: {options}."
    )


def choose_by_task(
    measure: str | None, found: Mapping[str, Sequence[str]], source: str
) -> dict[str, str]:
    """Return the measure of every task; ``found`` are the measures that each has.

    The request may be several names with commas: each task has the first of them that it knows.
    Without a request, a task must have a single measure.
    """
    everything = list(dict.fromkeys(name for names in found.values() for name in names))
    if measure is None:
        unclear = {task: names for task, names in found.items() if len(names) > 1}
        if not unclear:
            return {task: names[0] for task, names in found.items()}
        if all(set(names) == set(everything) for names in found.values()):
            choose_measure(None, everything, source)
        task, names = next(iter(unclear.items()))
        raise ScoresError(
            f"{source}: task {task!r} has scores of {len(names)} measures: "
            f"{listing(sorted(map(repr, names)))}.",
            ("Choose one with ", Argument("measure"), ", or a list for all tasks: acc,f1."),
        )
    wanted = [measure] if measure in everything else [x.strip() for x in measure.split(",")]
    for one in wanted:
        choose_measure(one, everything, source)  # raises if no task has it
    chosen: dict[str, str] = {}
    for task, names in found.items():
        matches = (
            name
            for one in wanted
            for name in names
            if name == one or (canonical(one) is not None and canonical(name) == canonical(one))
        )
        if (first := next(matches, None)) is None:
            raise ScoresError(
                f"{source}: task {task!r} has no scores of {' or '.join(map(repr, wanted))}, but "
                f"of {listing(sorted(map(repr, names)))}.",
                ("Add one: ", Argument("measure", f"{','.join(wanted)},{names[0]}"), "."),
            )
        chosen[task] = first
    return chosen


def _close(measure: str, names: Sequence[str]) -> list[str]:
    """Return the names that are spelt like a measure, in any spelling."""
    spellings = {text.lower(): name for name in names for text in (display(name), name)}
    close = get_close_matches(measure.strip().lower(), spellings, n=3)
    return list(dict.fromkeys(spellings[text] for text in close))
