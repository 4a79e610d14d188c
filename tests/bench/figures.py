"""Print the tables of the README and the model card from the weights files, where ``train weights`` left its figures.

A test holds the two pages to what this prints.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RULES = Path(__file__).resolve().parents[2] / "rules"
MODELS = {"base": "109.5M", "small": "22.7M"}


def systems(model: str) -> tuple[tuple[str, str, str], ...]:
    """The systems of a model's table: how it is called there, its weights file, its name in that."""
    return (
        (f"**`neurosymbolic`**, `{model}` ({MODELS[model]})", model, "neurosymbolic"),
        (f"`symbolic`, states of `{model}`", model, "symbolic"),
        (f"neural pair prior of `{model}` alone", model, "neural prior alone"),
        ("`symbolic --states gold`: the rules' ceiling", "gold", "symbolic"),
    )


def figures(file: str, system: str) -> dict[str, Any]:
    """The cross-validated figures of one system."""
    about = json.loads((RULES / "weights" / f"{file}.json").read_text("utf-8"))["about"]
    found: dict[str, Any] = about["cross_validated"][system]
    return found


def percent(value: float) -> str:
    """A fraction as a percentage with one decimal, without its sign."""
    return f"{100 * value:.1f}"


def both(found: dict[str, Any], *keys: str) -> str:
    """A figure with the twin's cue, and without."""
    with_cue, without = found, found["without_twin_cue"]
    for key in keys:
        with_cue, without = with_cue[key], without[key]
    return f"{percent(with_cue)} / {percent(without)}"  # type: ignore[arg-type]


def readme_rows() -> Iterator[str]:
    """The rows of the README's table that are of this project."""
    first, *rest = systems("base")
    for name, file, system in (first, systems("small")[0], *rest):
        found = figures(file, system)
        cells = [both(found, "accuracy"), both(found, "consistency")]
        cells += [both(found, "verifiability", kind) for kind in ("proof", "all_states")]
        yield f"| {name} | {' | '.join(cells)} | {percent(found['single']['auroc'])} |"


def card_rows(model: str) -> Iterator[str]:
    """The rows of the model card's table of a model's cross-validation."""
    for name, file, system in systems(model):
        found = figures(file, system)
        spread, verifiable = found["over_folds"], found["verifiability"]
        cells = [f"{percent(found[k])} ± {percent(spread[k])}" for k in ("accuracy", "consistency")]
        cells += [f"{percent(verifiable[k])} ± {percent(spread[k])}" for k in ("proof", "all_states")]
        cells += [percent(verifiable["proof_both_sides"]), both(found, "proof_coverage")]
        cells += [f"{percent(found['precondition_f1'])} / {percent(found['effect_f1'])}", percent(found["conflict_f1"])]
        cells += [f"{percent(found['single']['auroc'])} / {percent(found['single']['balanced_accuracy'])}"]
        yield f"| {name} | {' | '.join(cells)} |"


def reliability_rows(model: str) -> Iterator[str]:
    """The rows of the model card's table of a model's reliability."""
    for span, row in figures(model, "neurosymbolic")["calibration"]["reliability"].items():
        yield f"| {span} | {row['weight']:.0f} | {percent(row['confidence'])} | {percent(row['accuracy'])} |"


def piqa_rows() -> Iterator[str]:
    """The rows of the README's and the model card's table of choices between solutions."""
    for name, what in (
        ("neurosymbolic", "**`neurosymbolic`**, `{}`"),
        ("neural", "`neural`, `{}`: adapter and head"),
        ("symbolic", "`symbolic`, `{}`: proofs and evidence"),
    ):
        for model in MODELS:
            file = RULES.parent / "neural" / "models" / model / "piqa" / "weights.json"
            found = json.loads(file.read_text("utf-8"))["about"]["cross_validated"][name]
            low, high = found["interval"]
            cells = [f"{percent(found['accuracy'])} ({percent(low)} to {percent(high)})"]
            cells += [percent(found[k]) if found[k] else "–" for k in ("proof_coverage", "accuracy_with_proof")]
            yield f"| {what.format(model)} | {' | '.join(cells)} |"


def twins_rows(model: str) -> Iterator[str]:
    """The rows of the model card's table of a model's broken stories and their twins, an author left out."""
    kinds = ("right_pair", "right_proof", "broken_implausible", "restored_plausible", "broken_above_restored")
    rows = (("", "neurosymbolic"), (", `symbolic`", "symbolic"), (", pair prior alone", "neural prior alone"))
    for name, system in rows:
        found = figures(model, system)["twins"]
        yield f"| `{model}`{name} | {found['n']} | {' | '.join(percent(found[kind]) for kind in kinds)} |"


def main() -> None:
    """Print all tables."""
    print("\n".join(readme_rows()), end="\n\n")
    print("\n".join(piqa_rows()), end="\n\n")
    for model in MODELS:
        for rows in (card_rows(model), reliability_rows(model), twins_rows(model)):
            print("\n".join(rows), end="\n\n")
        error = figures(model, "neurosymbolic")["calibration"]["expected_calibration_error"]
        print(f"{model}: expected calibration error {error}", end="\n\n")


if __name__ == "__main__":
    main()
