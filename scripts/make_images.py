"""Draw the figures of the README and the documentation from the embedded collection."""

from __future__ import annotations

from pathlib import Path

import bayescorr
from bayescorr.coefficients import DEFAULT_COEFFICIENTS
from bayescorr.report.files import save_plot

IMAGES = Path(__file__).resolve().parents[1] / "docs" / "images"


def main() -> None:
    scores = bayescorr.load_dataset("demo")
    fit = bayescorr.fit(scores, random_seed=1)
    estimates = bayescorr.estimate(scores, coefficients=DEFAULT_COEFFICIENTS, random_seed=1)
    IMAGES.mkdir(parents=True, exist_ok=True)
    save_plot(fit.plot_coefficients(estimates=estimates), IMAGES / "demo.png", dpi=110)


if __name__ == "__main__":
    main()
