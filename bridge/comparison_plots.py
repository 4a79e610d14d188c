"""The plots of a comparison, as SVG to stand inside a page.

A system is told by its colour and by its marker, for those who do not see the colour; ``drawing`` says how colours
reach the page.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from . import comparison_tables as tables
from .comparison import TIERS, Comparison
from .comparison_tables import MODES, TIER_NAMES
from .drawing import INK, MODE, SYSTEM, drawn_svg
from .published import PUBLISHED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Markers of the systems, in matplotlib's letters; the page's legend draws the same shapes.
MARKERS: Final = "osD^vPX*"


@dataclass(frozen=True)
class Plot:
    """A drawing: ``svg`` is an ``<svg>`` element, ``alt`` says what is to be seen in it.

    ``legend`` is "systems", "modes", or empty for a plot that names what it shows.
    """

    key: str
    title: str
    svg: str
    alt: str
    legend: str = "systems"


def plots(comparison: Comparison) -> dict[str, Plot]:
    """The plots by name; those for which no system has figures are left out."""
    found = [
        _tiers(comparison),
        _fall(comparison),
        _attributes(comparison),
        _reliability(comparison),
        _failure_modes(comparison),
        _by_kind(comparison),
        _by_distance(comparison),
        _cost(comparison),
    ]
    return {plot.key: plot for plot in found if plot is not None}


def _tiers(comparison: Comparison) -> Plot:
    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for index, system in enumerate(comparison.systems):
            values = [100 * tables.tier_values(system)[tier] for tier in TIERS]
            bounds = [[100 * bound for bound in system["intervals"][tier]] for tier in TIERS]
            errors = [
                [max(0.0, v - low) for v, (low, _) in zip(values, bounds, strict=True)],
                [max(0.0, high - v) for v, (_, high) in zip(values, bounds, strict=True)],
            ]
            places = _dodged(len(TIERS), index, len(comparison.systems))
            axes.errorbar(values, places, xerr=errors, capsize=2, linestyle="none", **_look(index))
        _categories(axes, list(TIER_NAMES.values()))
        _percent(axes, "x", "% of pairs right, with 95% intervals")

    height = 1.0 + len(TIERS) * max(0.4, 0.16 * len(comparison.systems))
    told = (
        f"{name}: " + ", ".join(f"{TIER_NAMES[tier]} {100 * tables.tier_values(system)[tier]:.1f}" for tier in TIERS)
        for name, system in zip(tables.names(comparison), comparison.systems, strict=True)
    )
    return Plot(
        "tiers",
        "Pairs right at each tier",
        drawn_svg("tiers", draw, height),
        f"Percent of pairs right. {'; '.join(told)}.",
    )


def _fall(comparison: Comparison) -> Plot:
    def draw(figure: Figure) -> None:
        for axes, last in zip(figure.subplots(1, 2, sharey=True), ("all_states", "proof"), strict=True):
            steps = ("accuracy", "consistency", last)
            for paper in PUBLISHED:
                values = vars(paper)
                if values[last] is not None:
                    axes.plot(range(3), [100 * values[step] for step in steps], color=INK, linestyle=":", linewidth=1)
                    axes.annotate(paper.name.partition(",")[0], (2, 100 * values[last]), (-2, 3), fontsize=8, **_LEFT)
            for index, system in enumerate(comparison.systems):
                values = tables.tier_values(system)
                axes.plot(range(3), [100 * values[step] for step in steps], **_look(index))
            axes.set_xticks(range(3), ["a", "b", "c"])
            axes.set_xlim(-0.15, 2.15)
            axes.set_title(f"c: {TIER_NAMES[last]}")
            _percent(axes, "y", "% of pairs right" if last == "all_states" else "")
        figure.supxlabel("a: accuracy   b: consistency   c: verifiability", fontsize=10, color=INK)

    told = []
    for name, system in zip(tables.names(comparison), comparison.systems, strict=True):
        values = tables.tier_values(system)
        a, b, c, d = (f"{100 * values[tier]:.1f}" for tier in ("accuracy", "consistency", "all_states", "proof"))
        told.append(f"{name} falls from {a} to {b}, then to {c} (all states) or {d} (proof)")
    alt = f"Percent right from tier to tier. {'; '.join(told)}. Dotted: published on TRIP's test set, another file."
    return Plot("fall", "Pairs right from tier to tier", drawn_svg("fall", draw, 3.3), alt)


def _attributes(comparison: Comparison) -> Plot | None:
    names = tables.attribute_names(comparison)
    if not names:
        return None

    def draw(figure: Figure) -> None:
        for axes, side in zip(figure.subplots(1, 2, sharey=True), ("precondition", "effect"), strict=True):
            for index, system in enumerate(comparison.systems):
                found = [system["attributes"].get(name, {}).get(f"{side}_f1") for name in names]
                places = _dodged(len(names), index, len(comparison.systems))
                shown = [(100 * f1, place) for f1, place in zip(found, places, strict=True) if f1 is not None]
                axes.plot([x for x, _ in shown], [y for _, y in shown], linestyle="none", **_look(index, 4.5))
            axes.set_title(f"{side}s")
            _percent(axes, "x", "F1")
        _categories(axes, names)

    return Plot(
        "attributes",
        "F1 of each attribute",
        drawn_svg("attributes", draw, 1.1 + 0.3 * len(names)),
        "Dots: F1 of preconditions and effects of each attribute, for each system. The table has the figures.",
    )


def _reliability(comparison: Comparison) -> Plot | None:
    found = [(index, system["calibration"]) for index, system in enumerate(comparison.systems) if system["calibration"]]
    if not found:
        return None

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.plot([0, 100], [0, 100], color=INK, linestyle=":", linewidth=1)
        for index, calibration in found:
            rows = calibration["reliability"]
            total = sum(row["count"] for row in rows)
            xs, ys = ([100 * row[name] for row in rows] for name in ("confidence", "accuracy"))
            axes.plot(xs, ys, color=_look(index)["color"], linewidth=1)
            for x, y, row in zip(xs, ys, rows, strict=True):  # a bin of few choices is a small mark
                axes.plot([x], [y], **_look(index, 3 + 7 * (row["count"] / total) ** 0.5))
        low = min(100 * row["confidence"] for _, calibration in found for row in calibration["reliability"])
        axes.set_xlim(low - 4, 103)
        axes.set_xlabel("how sure, %")
        _percent(axes, "y", "% of choices right")

    errors = "; ".join(
        f"{tables.names(comparison)[index]} is off by {100 * calibration['expected_calibration_error']:.1f} points"
        for index, calibration in found
    )
    return Plot(
        "reliability",
        "Reliability (larger marks: more choices)",
        drawn_svg("reliability", draw, 3.3),
        f"How often choices are right against how sure they are; on the dotted line they agree. On average {errors}.",
    )


def _failure_modes(comparison: Comparison) -> Plot:
    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for row, system in enumerate(comparison.systems):
            total, start = max(1, sum(system["failure_modes"].values())), 0.0
            for index, mode in enumerate(MODES):
                count = system["failure_modes"][mode]
                if not count:
                    continue
                width = 100 * count / total
                axes.barh(row, width, 0.62, start, color=f"{MODE}{index}", edgecolor=INK, linewidth=0.5)
                if width >= 5:
                    axes.text(start + width / 2, row, str(count), ha="center", va="center", color=f"{MODE}8")
                start += width
        # Names stand above their bars: beside them, long ones would leave no room on a phone.
        for row in range(len(comparison.systems)):
            axes.text(0, row - 0.38, _NAME.format(row), va="bottom", ha="left")
        axes.set_yticks([])
        axes.set_ylim(len(comparison.systems) - 0.55, -0.85)
        axes.grid(False)
        axes.spines["left"].set_visible(False)
        _percent(axes, "x", "% of pairs, their number in the bars")

    told = "; ".join(
        f"{name}: " + ", ".join(f"{count} {MODES[mode]}" for mode, count in system["failure_modes"].items() if count)
        for name, system in zip(tables.names(comparison), comparison.systems, strict=True)
    )
    svg = drawn_svg("modes", draw, 0.9 + 0.6 * len(comparison.systems))
    for row, name in enumerate(tables.names(comparison)):
        shown = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
        svg = svg.replace(f">{_NAME.format(row)}<", f">{html.escape(shown)}<")
    return Plot("failure_modes", "What is right", svg, f"Pairs by what is right. {told}.", "modes")


def _by_kind(comparison: Comparison) -> Plot:
    groups = tables.groups(comparison, "by_kind")

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for index, system in enumerate(comparison.systems):
            values = [100 * system["by_kind"][group]["consistency"] for group in groups]
            axes.plot(
                values, _dodged(len(groups), index, len(comparison.systems)), linestyle="none", **_look(index, 4.5)
            )
        _categories(axes, [f"{group} ({count})" for group, count in groups.items()])
        _percent(axes, "x", "consistency, %")

    height = 0.9 + len(groups) * max(0.3, 0.1 * len(comparison.systems))
    return Plot(
        "by_kind",
        "Consistency by kind of conflict",
        drawn_svg("kind", draw, height),
        "Dots: consistency of each system for each kind of conflict, with the number of pairs. The table has the "
        "figures.",
    )


def _by_distance(comparison: Comparison) -> Plot:
    groups = tables.groups(comparison, "by_distance")

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for index, system in enumerate(comparison.systems):
            values = [100 * system["by_distance"][group]["consistency"] for group in groups]
            axes.plot(range(len(groups)), values, **_look(index))
        axes.set_xticks(range(len(groups)), [f"{group}\n({count})" for group, count in groups.items()])
        axes.set_xlabel("sentences apart (pairs)")
        _percent(axes, "y", "consistency, %")

    return Plot(
        "by_distance",
        "Consistency by distance",
        drawn_svg("distance", draw, 3.1),
        "Lines: consistency of each system by how many sentences the two are apart. The table has the figures.",
    )


def _cost(comparison: Comparison) -> Plot | None:
    timed = [(index, run) for index, run in enumerate(comparison.runs) if run.cost.total]
    if not timed:
        return None

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for index, run in timed:
            system = comparison.systems[index]
            value, (low, high) = 100 * system["consistency"], (100 * b for b in system["intervals"]["consistency"])
            error = [[max(0.0, value - low)], [max(0.0, high - value)]]
            axes.errorbar([1000 * (run.cost.total or 0)], [value], yerr=error, capsize=2, **_look(index, 8))
        axes.set_xlim(0, 1150 * max(run.cost.total or 0 for _, run in timed))
        axes.set_xlabel("milliseconds a story")
        _percent(axes, "y", "consistency, %")

    told = "; ".join(
        f"{tables.names(comparison)[index]}: {1000 * (run.cost.total or 0):.1f} ms a story, "
        f"consistency {100 * comparison.systems[index]['consistency']:.1f}"
        for index, run in timed
    )
    return Plot("cost", "Cost and consistency", drawn_svg("cost", draw, 3.1), f"{told}.")


_LONGEST: Final = 44  # letters of a system's name in a plot
# Stands for a name while it is drawn: matplotlib would read its dollar signs and miss letters of some scripts.
_NAME: Final = "name-{}-"
_LEFT: Final[Mapping[str, Any]] = {"ha": "right", "textcoords": "offset points"}


def _look(index: int, size: float = 6) -> dict[str, Any]:
    """A system's colour and marker."""
    return {"color": f"{SYSTEM}{index % len(MARKERS)}", "marker": MARKERS[index % len(MARKERS)], "markersize": size}


def _dodged(count: int, index: int, of: int) -> list[float]:
    """The places of one of several systems in ``count`` rows, side by side within 0.7 of a row."""
    step = min(0.22, 0.7 / of)
    return [row + (index - (of - 1) / 2) * step for row in range(count)]


def _categories(axes: Axes, names: Sequence[str]) -> None:
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)


def _percent(axes: Axes, axis: str, name: str) -> None:
    if axis == "x":
        axes.set_xlim(-2, 102)
        axes.set_xticks(range(0, 101, 25))
        axes.set_xlabel(name)
    else:
        axes.set_ylim(-2, 102)
        axes.set_yticks(range(0, 101, 25))
        axes.set_ylabel(name)
