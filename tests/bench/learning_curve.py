"""What more training pairs give, with rules and without: a table and a plot, from the weights files of some runs.

A run of N pairs is ``train tagger --folds 5 --pairs N`` and then ``train weights --pairs N``; a weights file without
``--pairs`` counts as the pairs outside a fold. ``python tests/bench/learning_curve.py FILE... --plot curve.svg``
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from disproof.bridge.training import FOLDS

SYSTEMS = {"neurosymbolic": "with rules", "neural prior alone": "without"}
FIGURES = {"accuracy": "accuracy", "consistency": "consistency", "auroc": "one story: AUROC"}


def read(files: list[Path]) -> dict[int, dict[str, Any]]:
    """The cross-validated figures by the number of pairs that a fold learns from."""
    found = {}
    for file in files:
        about = json.loads(file.read_text("utf-8"))["about"]
        found[about.get("learned_from") or round(about["pairs"] * (FOLDS - 1) / FOLDS)] = about["cross_validated"]
    return dict(sorted(found.items()))


def figure(measured: dict[str, Any], name: str) -> float:
    """One figure of one system, in percent."""
    value: float = measured["single"][name] if name == "auroc" else measured[name]
    return 100 * value


def draw(runs: dict[int, dict[str, Any]], path: Path) -> None:
    """Write the plot: a panel for each figure, a line for each system."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    with mpl.rc_context({"svg.hashsalt": "disproof"}):
        canvas, panels = pyplot.subplots(1, len(FIGURES), figsize=(10, 3), sharey=True, layout="constrained")
        for (name, title), panel in zip(FIGURES.items(), panels, strict=True):
            for (system, label), style in zip(SYSTEMS.items(), ("-", "--"), strict=True):
                panel.plot(
                    list(runs), [figure(run[system], name) for run in runs.values()], style, marker="o", label=label
                )
            panel.set_xscale("log", base=2)
            panel.set_xticks(list(runs), [str(n) for n in runs])
            panel.minorticks_off()
            panel.set_title(title)
            panel.set_xlabel("training pairs")
            panel.grid(axis="y", color="0.9")
        panels[0].set_ylabel("%")
        panels[0].legend(frameon=False)
        canvas.savefig(path, format="svg", metadata={"Date": None})


def main() -> None:
    """Print the table, and draw it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="weights files")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="an SVG to write")
    arguments = parser.parse_args()
    runs = read(arguments.files)
    print(f"| pairs | system | {' | '.join(FIGURES.values())} |\n|{'---|' * (2 + len(FIGURES))}")
    for size, run in runs.items():
        for system, label in SYSTEMS.items():
            print(f"| {size} | {label} | {' | '.join(f'{figure(run[system], name):.1f}' for name in FIGURES)} |")
    if arguments.plot:
        draw(runs, arguments.plot)


if __name__ == "__main__":
    main()
