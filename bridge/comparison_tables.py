"""The tables of a comparison for people: what the terminal and the page show alike.

Shares are in percent with one decimal; a dash is what a system does not have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..symbolic.vocabulary import ATTRIBUTES
from .comparison import TIERS, Comparison
from .published import PUBLISHED, PUBLISHED_NOTE
from .tables import NONE, Cell, Row, Table, label, number, percentage
from .wording import counted, listed, printable

# The tiers' names as headings.
TIER_NAMES: Final[Mapping[str, str]] = {
    "accuracy": "accuracy",
    "consistency": "consistency",
    "all_states": "all states",
    "proof": "proof",
    "proof_both_sides": "both sides",
}
# The failure modes by what is right in them, in the order of ``failure_modes``.
MODES: Final[Mapping[str, str]] = {
    "right right right": "story, conflict and states",
    "right right wrong": "story and conflict",
    "right wrong right": "story and states",
    "right wrong wrong": "story only",
    "wrong right right": "conflict and states",
    "wrong right wrong": "conflict only",
    "wrong wrong right": "states only",
    "wrong wrong wrong": "nothing",
}


def p_words(p: float) -> str:
    """A test's p with three decimals: never 0."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def summary(comparison: Comparison) -> str:
    """How many pairs, systems and disagreements, in a sentence."""
    names = listed([printable(run.name) for run in comparison.runs])
    return (
        f"{counted(len(comparison.pairs), 'pair')} of stories, {counted(len(comparison.runs), 'system')} "
        f"({names}), {counted(len(comparison.disagreements), 'disagreement')}."
    )


def tiers(comparison: Comparison) -> Table:
    """The tiers with their intervals; the published rows below."""
    rows = [
        Row((label(system["system"]), *(_with_interval(system, tier) for tier in TIERS)))
        for system in comparison.systems
    ]
    for paper in PUBLISHED:
        shares = (paper.accuracy, paper.consistency, paper.all_states, paper.proof, None)
        rows.append(Row((label(paper.title), *map(percentage, shares)), True))
    return Table(
        "tiers",
        "How many pairs are right",
        ("system", *TIER_NAMES.values()),
        tuple(rows),
        "Percent of all pairs. Accuracy: the story that cannot happen; consistency: also exactly the two sentences; "
        "the last three: also the states, by three protocols (all that the system asserts there; those it asserts with "
        "its proof; those at both sentences). Below: 95% bootstrap intervals, base stories drawn again. "
        + PUBLISHED_NOTE,
    )


def fall(comparison: Comparison) -> Table:
    """What is left of each tier at the next."""

    def kept(of: float | None, part: float | None) -> Cell:
        return percentage(part / of if of and part is not None else None)

    def row(name: str, values: Mapping[str, float | None], published: bool) -> Row:
        steps = (("accuracy", "consistency"), ("consistency", "all_states"), ("consistency", "proof"))
        return Row((label(name), *(kept(values[before], values[after]) for before, after in steps)), published)

    rows = [row(system["system"], tier_values(system), False) for system in comparison.systems]
    rows += [row(paper.title, vars(paper), True) for paper in PUBLISHED]
    return Table(
        "fall",
        "What is left at the next tier",
        ("system", "accuracy to consistency", "consistency to all states", "consistency to proof"),
        tuple(rows),
        "Percent of the pairs right at one tier that still are at the next: how many right choices have the right "
        "reason. The published rows are, as above, of another file.",
    )


def tier_values(system: Mapping[str, Any]) -> dict[str, float]:
    """A system's tiers by their names."""
    states = system["verifiability"]
    return {"accuracy": system["accuracy"], "consistency": system["consistency"], **states}


def uncued(comparison: Comparison) -> Table | None:
    """The tiers without the twin's cue, where a system has them apart; None where none has."""
    rows = [
        Row((label(system["system"]), *(percentage(tier_values(system["without_twin_cue"])[tier]) for tier in TIERS)))
        for system in comparison.systems
        if "without_twin_cue" in system
    ]
    return (
        Table(
            "uncued",
            "Without the twin's cue",
            ("system", *TIER_NAMES.values()),
            tuple(rows),
            "The same, where a system may not look for the one sentence in which the two stories differ.",
        )
        if rows
        else None
    )


def paired(comparison: Comparison) -> Table:
    """The paired tests, one a row."""
    rows = [
        Row(
            (
                label(test["systems"][0]),
                label(test["systems"][1]),
                Cell(TIER_NAMES[test["tier"]], list(TIERS).index(test["tier"])),
                number(test["only_first"]),
                number(test["only_second"]),
                Cell(p_words(test["p"]), test["p"]),
            )
        )
        for test in comparison.paired
    ]
    return Table(
        "paired",
        "Paired tests",
        ("first", "second", "tier", "only first right", "only second right", "p"),
        tuple(rows),
        PAIRED_NOTE,
    )


PAIRED_NOTE: Final = (
    "McNemar's exact test on the pairs that only one of the two gets right. The p values are of single tests: of "
    "twenty between systems that are alike, one falls below 0.05 by chance."
)


def f_scores(comparison: Comparison) -> Table:
    """F1 of states and conflicts."""
    rows = [
        Row((label(s["system"]), *(percentage(s[name]) for name in ("precondition_f1", "effect_f1", "conflict_f1"))))
        for s in comparison.systems
    ]
    return Table(
        "f1",
        "States and sentences",
        ("system", "preconditions F1", "effects F1", "conflict F1"),
        tuple(rows),
        "Macro-averaged, in percent: over attributes and their values; over sentences in the conflict and not. A file "
        "of predictions may hold the states of the implausible stories only.",
    )


def attributes(comparison: Comparison) -> Table:
    """F1 of each attribute, preconditions then effects in a cell."""
    rows = []
    for name in attribute_names(comparison):
        scores = [system["attributes"].get(name, {}) for system in comparison.systems]
        cells = [_two(score.get("precondition_f1"), score.get("effect_f1")) for score in scores]
        rows.append(Row((label(name), *cells)))
    return Table(
        "attributes",
        "F1 of each attribute",
        ("attribute", *names(comparison)),
        tuple(rows),
        "Preconditions / effects, in percent; sorted by the first. Attributes of which nothing is said are left out.",
    )


def attribute_names(comparison: Comparison) -> list[str]:
    """The attributes of which a system or gold says something, in TRIP's order."""
    return [a.name for a in ATTRIBUTES if any(a.name in system["attributes"] for system in comparison.systems)]


def proofs(comparison: Comparison) -> Table:
    """Proof coverage, and how right verdicts with and without a proof are."""
    rows = []
    for system in comparison.systems:
        cells = [percentage(system["proof_coverage"])]
        for part in ("proven", "unproven"):
            found = system["by_proof"][part]
            cells += [number(found["n"]), _two(found.get("accuracy"), found.get("consistency"))]
        rows.append(Row((label(system["system"]), *cells)))
    return Table(
        "proofs",
        "With and without a proof",
        ("system", "coverage", "proven", "proven: right", "unproven", "unproven: right"),
        tuple(rows),
        "Coverage: percent of the stories called impossible that have a proof; then how many verdicts have one and "
        "their accuracy / consistency in percent, and the same for those without.",
    )


def single(comparison: Comparison) -> Table:
    """Stories judged without their twins."""
    rows = []
    for system in comparison.systems:
        alone = system["single"]
        auroc, balanced = percentage(alone["auroc"]), percentage(alone["balanced_accuracy"])
        rows.append(Row((label(system["system"]), number(alone["n"] or None), auroc, balanced)))
    return Table(
        "single",
        "One story at a time",
        ("system", "stories", "AUROC", "balanced accuracy"),
        tuple(rows),
        "Each distinct story judged without its twin, in percent: 50 is chance. A file of predictions does not say.",
    )


def calibration(comparison: Comparison) -> Table:
    """How honest the confidence of choices is."""
    rows = []
    for system in comparison.systems:
        found = system["calibration"]
        error = None if found is None else found["expected_calibration_error"]
        rows.append(Row((label(system["system"]), percentage(error), percentage(system["accuracy"]))))
    return Table(
        "calibration",
        "How honest the confidence is",
        ("system", "calibration error", "accuracy"),
        tuple(rows),
        "Expected calibration error: the mean gap between how sure a choice is and how often such choices are right, "
        "in percentage points, over ten bins.",
    )


def failure_modes(comparison: Comparison) -> Table:
    """How many pairs are right in which parts, each part by itself."""
    modes = [system["failure_modes"] for system in comparison.systems]
    return Table(
        "failure_modes",
        "What is right, each by itself",
        ("right", *names(comparison)),
        tuple(
            Row((Cell(words, place), *(number(found[mode]) for found in modes)))
            for place, (mode, words) in enumerate(MODES.items())
        ),
        "Pairs by which of story, conflict and states (all that the system asserts) are right whatever the others "
        "are, as in figure 3 of Storks et al. (2021).",
    )


def by_group(comparison: Comparison, field: str) -> Table:
    """Consistency and proof within each kind of conflict ("by_kind") or distance ("by_distance")."""
    title, first, note = {
        "by_kind": (
            "By kind of conflict",
            "opposite in gold",
            "A kind is an attribute of one thing that gold has opposite at the two sentences; a pair may have several.",
        ),
        "by_distance": ("By distance", "sentences apart", "How far apart the two sentences are."),
    }[field]
    rows = []
    for group, count in groups(comparison, field).items():
        found = [system[field][group] for system in comparison.systems]
        name = Cell(group, int(group)) if group.isdigit() else label(group)
        rows.append(Row((name, number(count), *(_two(each["consistency"], each["proof"]) for each in found))))
    return Table(
        field,
        title,
        (first, "pairs", *names(comparison)),
        tuple(rows),
        f"{note} Consistency / proof in percent; sorted by the first.",
    )


def groups(comparison: Comparison, field: str) -> dict[str, int]:
    """The groups of pairs with their sizes, which are the same for all systems; distances by length."""
    found = {group: shares["n"] for group, shares in comparison.systems[0][field].items()}
    if field == "by_distance":
        return dict(sorted(found.items(), key=lambda item: int(item[0])))
    return found


def cost(comparison: Comparison) -> Table:
    """Time a story and size of the model."""
    rows = []
    for run in comparison.runs:
        seconds = (run.cost.tagging, run.cost.solving, run.cost.total)
        times = [number(None if value is None else 1000 * value, ".1f") for value in seconds]
        size = number(None if run.cost.model_bytes is None else run.cost.model_bytes / 1e6, ".1f")
        rows.append(Row((label(run.name), *times, size)))
    return Table(
        "cost",
        "Cost",
        ("system", "tagging, ms", "solving, ms", "a story, ms", "model, MB"),
        tuple(rows),
        "Median over the distinct stories; a dash is what was not measured.",
    )


def names(comparison: Comparison) -> list[str]:
    """The systems' names, fit to be shown."""
    return [printable(run.name) for run in comparison.runs]


def all_tables(comparison: Comparison) -> Sequence[Table]:
    """Every table, in the order of reading."""
    without_cue = uncued(comparison)
    return [
        tiers(comparison),
        fall(comparison),
        *([without_cue] if without_cue is not None else []),
        paired(comparison),
        f_scores(comparison),
        attributes(comparison),
        proofs(comparison),
        single(comparison),
        calibration(comparison),
        failure_modes(comparison),
        by_group(comparison, "by_kind"),
        by_group(comparison, "by_distance"),
        cost(comparison),
    ]


def _with_interval(system: Mapping[str, Any], tier: str) -> Cell:
    value = tier_values(system)[tier]
    low, high = system["intervals"][tier]
    return Cell(f"{100 * value:.1f}\n{100 * low:.1f}–{100 * high:.1f}", value)


def _two(first: float | None, second: float | None) -> Cell:
    if first is None and second is None:
        return Cell(NONE, None)
    return Cell(f"{percentage(first).text} / {percentage(second).text}", first)
