"""Learning curves of the tiered baseline, as data and as a plot: the loss of each part in training and validation.

The plot is the paper's figure 4 (Storks et al., 2021).
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from .files import write_atomic

PARTS: Final = ("precondition", "effect", "conflict", "story", "total")
KINDS: Final = ("training", "validation")


def curves(history: Sequence[Mapping[str, Any]], best: int | None) -> dict[str, Any]:
    """The history of a run as lists with a number an epoch; ``best`` is the epoch whose weights were kept, from 0."""
    found: dict[str, Any] = {"epochs": len(history), "best_epoch": best}
    for kind in KINDS:
        found[kind] = {part: [entry[kind][part] for entry in history] for part in PARTS}
    names = list(history[0]["figures"]) if history else []
    found["figures"] = {name: [entry["figures"][name] for entry in history] for name in names}
    return found


def write_curves(folder: Path, found: Mapping[str, Any]) -> None:
    """Write ``curves.json`` and ``curves.svg`` into a folder.

    Raises:
        DisproofError: they cannot be written.
    """
    write_atomic(folder / "curves.json", json.dumps(found, indent=1) + "\n")
    write_atomic(folder / "curves.svg", drawn(found))


def drawn(found: Mapping[str, Any]) -> bytes:
    """The curves as an SVG, a panel for each part; the same curves give the same bytes."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot

    with mpl.rc_context({"svg.hashsalt": "disproof"}):
        figure, panels = pyplot.subplots(1, len(PARTS), figsize=(3 * len(PARTS), 3), layout="constrained")
        epochs = range(1, int(found["epochs"]) + 1)
        for part, panel in zip(PARTS, panels, strict=True):
            for kind, style in zip(KINDS, ("-", "--"), strict=True):
                panel.plot(epochs, found[kind][part], style, marker=".", label=kind)
            if found["best_epoch"] is not None:
                panel.axvline(found["best_epoch"] + 1, color="0.8", zorder=0)
            panel.set_title(part)
            panel.set_xlabel("epoch")
            panel.xaxis.get_major_locator().set_params(integer=True)
            panel.set_ylim(bottom=0)
        panels[0].set_ylabel("loss")
        panels[0].legend(frameon=False)
        buffer = io.BytesIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
        pyplot.close(figure)
    return buffer.getvalue()
