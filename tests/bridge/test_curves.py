"""Learning curves as data and as a plot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from disproof.bridge.curves import KINDS, PARTS, curves, drawn, write_curves


def entry(loss: float) -> dict[str, Any]:
    return {**{kind: dict.fromkeys(PARTS, loss + k) for k, kind in enumerate(KINDS)}, "figures": {"accuracy": loss}}


@pytest.fixture
def found() -> dict[str, Any]:
    return curves([entry(0.5), entry(0.25)], 1)


def test_curves_have_a_number_an_epoch_for_each_part(found: dict[str, Any]) -> None:
    assert (found["epochs"], found["best_epoch"]) == (2, 1)
    assert found["training"] == {part: [0.5, 0.25] for part in PARTS}
    assert found["validation"] == {part: [1.5, 1.25] for part in PARTS}
    assert found["figures"] == {"accuracy": [0.5, 0.25]}


def test_the_same_curves_give_the_same_plot_with_a_panel_for_each_part(found: dict[str, Any]) -> None:
    plot = drawn(found)
    assert plot == drawn(found)
    assert plot != drawn({**found, "best_epoch": 0})
    text = plot.decode()
    assert text.startswith("<?xml")
    assert all(f"<!-- {part} -->" in text for part in PARTS)
    assert all(f"<!-- {kind} -->" in text for kind in KINDS)


def test_data_and_plot_are_written(found: dict[str, Any], tmp_path: Path) -> None:
    write_curves(tmp_path, found)
    assert json.loads((tmp_path / "curves.json").read_text()) == found
    assert sorted(p.name for p in tmp_path.iterdir()) == ["curves.json", "curves.svg"]
