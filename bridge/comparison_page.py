"""A comparison as one page of HTML that needs nothing else: no network, no fonts, no images, no other files.

The template (``comparison_page.html``, with its style sheet and script beside it) escapes all that comes from stories
and systems; only the style sheet, the script and the plots go in as they are. A policy in the page forbids every
other script, and every request.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ..symbolic.story import StoryPair
from . import comparison_tables as tables
from .comparison import TIERS, Comparison, Disagreement, SystemRun
from .comparison_plots import MARKERS, Plot, plots
from .comparison_tables import MODES, TIER_NAMES
from .metrics import PairOutcome, gold_of
from .outline import Step, outline, pruned
from .tables import Cell, Table
from .wording import listed, percent, printable

_FOLDER: Final = Path(__file__).parent
# Levels of a proof below its root: those of TRIP have fewer, and a page of hundreds has to end somewhere.
_DEPTH: Final = 12
# The shapes of ``MARKERS`` in a square of 16.
_SHAPES: Final = (
    "M8 1a7 7 0 1 0 0 14a7 7 0 1 0 0-14z",
    "M2 2h12v12h-12z",
    "M8 .5l7 7.5-7 7.5-7-7.5z",
    "M8 1l7 13.5h-14z",
    "M8 15l7-13.5h-14z",
    "M5.5 1h5v4.5h4.5v5h-4.5v4.5h-5v-4.5h-4.5v-5h4.5z",
    "M4.5 1l3.5 3.5 3.5-3.5 3.5 3.5-3.5 3.5 3.5 3.5-3.5 3.5-3.5-3.5-3.5 3.5-3.5-3.5 3.5-3.5-3.5-3.5z",
    "M8 .5l2 5.2 5.5.3-4.3 3.5 1.4 5.5-4.6-3-4.6 3 1.4-5.5-4.3-3.5 5.5-.3z",
)


@dataclass(frozen=True)
class _Section:
    key: str
    title: str
    tables: tuple[Table, ...]
    plot: Plot | None = None

    @property
    def svg(self) -> Markup:
        """The plot, with its name for those who do not see it."""
        if self.plot is None:
            return Markup("")
        start, _, rest = self.plot.svg.partition(" ")
        return Markup('%s role="img" aria-label="%s" %s') % (Markup(start), self.plot.alt, Markup(rest))


@dataclass(frozen=True)
class _Said:
    """What one system says of a pair; ``unproved`` stands where a proof would."""

    name: str
    grade: str
    verdict: str
    tiers: tuple[tuple[str, bool], ...]
    proof: Step | None
    unproved: str


@dataclass(frozen=True)
class _Shown:
    """A pair on which systems differ: the story that cannot happen, what its twin has instead, and what each says.

    ``right`` has a letter for each system, 1 where it finds the two sentences.
    """

    id: str
    sentences: tuple[str, ...]
    gold: tuple[int, int]
    twin: tuple[tuple[int, str], ...]
    twin_whole: bool
    systems: tuple[_Said, ...]
    right: str


def comparison_page(comparison: Comparison, title: str, notes: Sequence[str] = ()) -> str:
    """The page; ``notes`` are shown first, such as that a system was trained on these pairs.

    The same comparison gives the same text.
    """
    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["percent"] = percent
    script = (_FOLDER / "comparison_page.js").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return environment.get_template("comparison_page.html").render(
        title=printable(title),
        summary=tables.summary(comparison),
        notes=[printable(note) for note in notes],
        sections=_sections(comparison),
        disagreements=[_shown(comparison, found) for found in comparison.disagreements],
        n=len(comparison.pairs),
        systems=tables.names(comparison),
        modes=list(MODES.values()),
        markers=len(MARKERS),
        shapes=_SHAPES,
        style=Markup((_FOLDER / "comparison_page.css").read_text("utf-8")),
        script=Markup(script),
        script_hash=Markup(f"sha256-{digest}"),
        sorted_by=_sorted_by,
    )


def _sections(comparison: Comparison) -> list[_Section]:
    table = {each.key: each for each in tables.all_tables(comparison)}
    plot = plots(comparison)
    parts = [
        ("tiers", "Right stories, sentences and states", ("tiers", "uncued"), "tiers"),
        ("fall", "From accuracy to verifiability", ("fall",), "fall"),
        ("paired", "Do two systems differ?", ("paired",), ""),
        ("modes", "What goes wrong", ("failure_modes",), "failure_modes"),
        ("states", "States", ("f1", "attributes"), "attributes"),
        ("proofs", "Proofs", ("proofs",), ""),
        ("single", "One story at a time", ("single",), ""),
        ("reliability", "Confidence", ("calibration",), "reliability"),
        ("kinds", "Kinds of conflict", ("by_kind",), "by_kind"),
        ("distances", "Distance", ("by_distance",), "by_distance"),
        ("costs", "Cost", ("cost",), "cost"),
    ]
    found = [
        _Section(
            key, title, tuple(table[name] for name in shown if name in table and table[name].rows), plot.get(drawn)
        )
        for key, title, shown, drawn in parts
    ]
    return [section for section in found if section.tables]


def _sorted_by(cell: Cell) -> Markup:
    """The attribute that the page's script sorts by."""
    if cell.value is None:
        return Markup("")
    value = f"{cell.value:.6g}" if isinstance(cell.value, float) else str(cell.value)
    return Markup(' data-v="%s"') % value


def _shown(comparison: Comparison, found: Disagreement) -> _Shown:
    pair = comparison.pairs[found.pair]
    label, gold, _ = gold_of(pair)
    broken, twin = pair.stories[1 - label].sentences, pair.stories[label].sentences
    whole = len(broken) != len(twin)
    other = [(k + 1, printable(s)) for k, s in enumerate(twin) if whole or s != broken[k]]
    systems: list[_Said] = []
    for run in comparison.runs:
        said = _said(run, found, pair, label)
        before = next((each.name for each in systems if said.proof is not None and each.proof == said.proof), None)
        if before is not None:
            same = f"Its proof is that of {before}."
            said = _Said(said.name, said.grade, said.verdict, said.tiers, None, same)
        systems.append(said)
    return _Shown(
        printable(pair.id),
        tuple(printable(sentence) for sentence in broken),
        gold,
        tuple(other),
        whole,
        tuple(systems),
        "".join(str(int(found.outcomes[run.name].consistent)) for run in comparison.runs),
    )


def _said(run: SystemRun, found: Disagreement, pair: StoryPair, label: int) -> _Said:
    outcome, choice = found.outcomes[run.name], found.choices[run.name]
    which = "this story" if choice == label else "the twin"
    named: Sequence[int] = run.predictions[found.pair].stories[1 - choice].conflict or ()
    proof, unproved, sure = None, "This system gives no explanation.", ""
    if run.choices is not None:
        verdict = run.choices[found.pair].verdicts[1 - choice]
        named = verdict.pair or ()
        sure = f" ({percent(verdict.confidence)} sure)"
        unproved = (
            "It finds no two sentences that conflict."
            if verdict.pair is None
            else "No rule proves it: this is the neural prior’s judgement alone."
        )
        if verdict.conflict is not None:
            proof = pruned(outline(verdict.conflict.proof), _DEPTH)
    where = f"sentence{'s' if len(named) > 1 else ''} {listed([str(k + 1) for k in sorted(named)])} of {which}"
    says = f"{'Right' if choice == label else 'Wrong'}: calls {which} impossible{sure}, "
    return _Said(
        printable(run.name),
        _grade(outcome),
        says + (f"naming {where}." if named else "naming no sentences."),
        tuple((TIER_NAMES[tier], bool(getattr(outcome, field))) for tier, field in TIERS.items()),
        proof,
        unproved,
    )


def _grade(outcome: PairOutcome) -> str:
    """The letter of the last tier that is reached."""
    if outcome.all_states or outcome.proof:
        return "c"
    return "b" if outcome.consistent else "a" if outcome.accurate else "✗"
