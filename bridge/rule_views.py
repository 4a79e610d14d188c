"""``rules list`` and ``rules diff``: what rules do on data, as tables, pages and JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypedDict, cast

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from .documents import RuleDocument
from .rule_diff import ChoiceChange, Outcome, RuleDiff, StoryChange
from .rule_stats import Firings
from .text import numbered
from .wording import counted, printable

Weight = tuple[float, bool] | None


class ListedRuleDocument(RuleDocument, total=False):
    """A rule in ``rules list``: its weight in force (null for a rule that derives no conflict), and what it does.

    The last four are there with data only, and null for a rule that derives no conflict.
    """

    weight: float | None
    fires: int | None
    hits: int | None
    in_plausible: int | None
    precision: float | None


class OutcomeDocument(TypedDict):
    """What is said of one story by itself; sentences count from 0."""

    plausible: bool
    evidence: int | None
    breakpoint: int | None
    rule: str | None


class ChoiceOutcomeDocument(TypedDict):
    """Which story of a pair is chosen."""

    choice: int


class ChangeDocument(TypedDict):
    """A story of which something else is said, or (``story`` is null) a pair of which the other story is chosen."""

    id: str
    story: int | None
    judgement: str | None
    before: OutcomeDocument | ChoiceOutcomeDocument
    after: OutcomeDocument | ChoiceOutcomeDocument


class DiffDocument(TypedDict):
    """The output of ``rules diff``; ``before`` and ``after`` are null where the stories have no annotation."""

    stories: int
    before: Mapping[str, object] | None
    after: Mapping[str, object] | None
    changed: list[ChangeDocument]


def listed_rule(document: RuleDocument, weight: Weight, firings: Firings | None = None) -> ListedRuleDocument:
    """A rule with its weight and, where stories were looked at, its firings."""
    listed = cast(ListedRuleDocument, {**document, "weight": None if weight is None else weight[0]})
    if firings is not None:
        known = weight is not None
        listed["fires"] = firings.fires if known else None
        listed["hits"] = firings.hits if known else None
        listed["in_plausible"] = firings.in_plausible if known else None
        listed["precision"] = firings.precision if known else None
    return listed


def weights_view(rules: Sequence[tuple[RuleDocument, Weight]]) -> RenderableType:
    """Rules by pack: name, place, weight, wording."""
    table = _table(("rule", "where", "weight", "says"))
    for document, weight in sorted(rules, key=lambda rule: rule[0]["pack"]):
        place = Text(printable(f"{document['file']}:{document['line']}"))
        table.add_row(Text(document["name"]), place, _weight(weight), Text(printable(document["wording"] or "")))
    return Group(table, *_note(weight for _, weight in rules))


def firings_view(rules: Sequence[tuple[RuleDocument, Weight, Firings]], stories: int) -> RenderableType:
    """Rules of conflicts by pack: name, weight, and what each does on so many stories."""
    table = _table(("rule",), ("weight", "fires", "hits", "in plausible", "precision"))
    pack = ""
    for document, weight, firings in sorted(rules, key=lambda rule: rule[0]["pack"]):
        if document["pack"] != pack:
            pack = document["pack"]
            table.add_row(Text(printable(document["file"]), "dim"))
        precision = "-" if firings.precision is None else f"{firings.precision:.2f}"
        counts = (str(firings.fires), str(firings.hits), str(firings.in_plausible), precision)
        table.add_row(Text(f"  {document['name']}"), _weight(weight), *counts)
    silent = sum(not firings.fires for _, _, firings in rules)
    line = f"{counted(len(rules), 'rule')} of conflicts on {stories} stories; {silent} of them never fire."
    return Group(table, Text(), Text(line), *_note(weight for _, weight, _ in rules))


def diff_document(diff: RuleDiff) -> DiffDocument:
    """All that changed."""
    return {
        "stories": diff.stories,
        "before": diff.before,
        "after": diff.after,
        "changed": [
            *(
                ChangeDocument(
                    id=change.id,
                    story=change.place,
                    judgement=change.judgement,
                    before=_outcome_document(change.before),
                    after=_outcome_document(change.after),
                )
                for change in diff.changes
            ),
            *(
                ChangeDocument(
                    id=change.id,
                    story=None,
                    judgement=change.judgement,
                    before={"choice": change.before},
                    after={"choice": change.after},
                )
                for change in diff.choices
            ),
        ],
    }


def diff_view(diff: RuleDiff) -> RenderableType:
    """Each story and choice that changed, before and after, then the figures."""
    parts: list[RenderableType] = []
    for change in diff.changes:
        parts += [*_story_change(change), Text()]
    for choice in diff.choices:
        parts.append(_choice_change(choice))
    if diff.choices:
        parts.append(Text())
    parts.append(Text(_summary(diff), "bold"))
    if diff.before is not None and diff.after is not None:
        parts += [Text(), _figures(diff.before, diff.after)]
    return Group(*parts)


def _table(left: Sequence[str], right: Sequence[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for name in left:
        table.add_column(name, overflow="fold", no_wrap=name == "rule", style="dim" if name == "where" else None)
    for name in right:
        table.add_column(name, justify="right")
    return table


def _weight(weight: Weight) -> Text:
    if weight is None:
        return Text("-", "dim")
    return Text(f"{weight[0]:.2f}{' ' if weight[1] else '*'}")


def _note(weights: Iterator[Weight]) -> list[RenderableType]:
    if all(weight is None or weight[1] for weight in weights):
        return []
    return [Text("* not learned: what a rule counts that training never saw", "dim")]


def _outcome_document(outcome: Outcome) -> OutcomeDocument:
    evidence, breakpoint_ = outcome.pair or (None, None)
    return {"plausible": outcome.plausible, "evidence": evidence, "breakpoint": breakpoint_, "rule": outcome.rule}


_MARKS: Final = {
    "better": ("+ better", "green"),
    "worse": ("- worse", "red"),
    "same": ("= no better", ""),
    None: ("", ""),
}


def _story_change(change: StoryChange) -> list[RenderableType]:
    name = printable(change.id) or f"story {change.place + 1}"
    mark, style = _MARKS[change.judgement]
    title = Text.assemble((name, "bold"), "  " if mark else "", (mark, style))
    marked = {sentence for outcome in (change.before, change.after) for sentence in outcome.pair or ()}
    arrows = Table.grid(padding=(0, 1))
    arrows.add_row("  before:", Text(_said(change.before)))
    arrows.add_row("  after:", Text(_said(change.after)))
    return [title, numbered(change.story.sentences, marked), arrows]


def _said(outcome: Outcome) -> str:
    if outcome.plausible:
        return "plausible"
    between = "" if outcome.pair is None else f", sentences {outcome.pair[0] + 1} and {outcome.pair[1] + 1}"
    return f"implausible{between}, {'by the neural prior' if outcome.rule is None else f'by {printable(outcome.rule)}'}"


def _choice_change(change: ChoiceChange) -> Text:
    mark, style = _MARKS[change.judgement]
    return Text.assemble(
        (printable(change.id), "bold"),
        f"  choice: story {change.before + 1} -> story {change.after + 1}  ",
        (mark, style),
    )


def _summary(diff: RuleDiff) -> str:
    line = f"{len(diff.changes)} of {counted(diff.stories, 'story').replace('storys', 'stories')} changed"
    known = [change.judgement for change in diff.changes if change.judgement is not None]
    if known:
        line += f": {known.count('better')} for the better, {known.count('worse')} for the worse"
    if diff.choices:
        line += f"; {counted(len(diff.choices), 'choice')} changed"
    return f"{line}."


# What a page shows of the figures of annotated pairs; of other figures it shows all.
_SHOWN: Final = ("accuracy", "consistency", "verifiability: proof", "single: balanced accuracy")


def _figures(before: Mapping[str, object], after: Mapping[str, object]) -> Table:
    table = _table(("",), ("before", "after", "difference"))
    old, new = dict(_fractions(before)), dict(_fractions(after))
    for name in [name for name in _SHOWN if name in old] if "verifiability" in before else old:
        sign = f"{100 * (new[name] - old[name]):+.1f}"
        table.add_row(name, f"{100 * old[name]:.1f} %", f"{100 * new[name]:.1f} %", sign.replace("-0.0", "+0.0"))
    return table


def _fractions(figures: Mapping[str, object], within: str = "") -> Iterator[tuple[str, float]]:
    """The figures that are shares, with those of groups by "group: name"."""
    for name, value in figures.items():
        words = name.replace("_", " ")
        if isinstance(value, Mapping):
            yield from _fractions(value, f"{words}: ")
        elif isinstance(value, float) and name != "seconds":
            yield f"{within}{words}", value
