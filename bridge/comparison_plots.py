"""The plots of a comparison, as SVG to stand inside a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from . import comparison_tables as tables
from .comparison import TIERS, Comparison
from .comparison_tables import MODES, TIER_NAMES
from .drawing import (
    INK,
    Plot,
    bars_svg,
    dodged,
    drawn_svg,
    error_bars,
    group_lines,
    look,
    percent_axis,
    row_names,
)
from .published import PUBLISHED

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LEFT: Final[Mapping[str, Any]] = {"ha": "right", "textcoords": "offset points"}


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
            values = [tables.tier_values(system)[tier] for tier in TIERS]
            intervals = [system["intervals"][tier] for tier in TIERS]
            error_bars(axes, index, len(comparison.systems), values, intervals)
        row_names(axes, list(TIER_NAMES.values()))
        percent_axis(axes, "x", "% of pairs right, with 95% intervals")

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
                axes.plot(range(3), [100 * values[step] for step in steps], **look(index))
            axes.set_xticks(range(3), ["a", "b", "c"])
            axes.set_xlim(-0.15, 2.15)
            axes.set_title(f"c: {TIER_NAMES[last]}")
            percent_axis(axes, "y", "% of pairs right" if last == "all_states" else "")
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
                places = dodged(len(names), index, len(comparison.systems))
                shown = [(100 * f1, place) for f1, place in zip(found, places, strict=True) if f1 is not None]
                axes.plot([x for x, _ in shown], [y for _, y in shown], linestyle="none", **look(index, 4.5))
            axes.set_title(f"{side}s")
            percent_axis(axes, "x", "F1")
        row_names(axes, names)

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
            axes.plot(xs, ys, color=look(index)["color"], linewidth=1)
            for x, y, row in zip(xs, ys, rows, strict=True):  # a bin of few choices is a small mark
                axes.plot([x], [y], **look(index, 3 + 7 * (row["count"] / total) ** 0.5))
        low = min(100 * row["confidence"] for _, calibration in found for row in calibration["reliability"])
        axes.set_xlim(low - 4, 103)
        axes.set_xlabel("how sure, %")
        percent_axis(axes, "y", "% of choices right")

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
    bars = [{shade: system["failure_modes"][mode] for shade, mode in enumerate(MODES)} for system in comparison.systems]
    told = "; ".join(
        f"{name}: " + ", ".join(f"{count} {MODES[mode]}" for mode, count in system["failure_modes"].items() if count)
        for name, system in zip(tables.names(comparison), comparison.systems, strict=True)
    )
    return Plot(
        "failure_modes",
        "What is right",
        bars_svg("modes", tables.names(comparison), bars, "pairs"),
        f"Pairs by what is right. {told}.",
        dict(enumerate(MODES.values())),
    )


def _by_kind(comparison: Comparison) -> Plot:
    groups = tables.groups(comparison, "by_kind")

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for index, system in enumerate(comparison.systems):
            values = [100 * system["by_kind"][group]["consistency"] for group in groups]
            axes.plot(values, dodged(len(groups), index, len(comparison.systems)), linestyle="none", **look(index, 4.5))
        row_names(axes, [f"{group} ({count})" for group, count in groups.items()])
        percent_axis(axes, "x", "consistency, %")

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
        found = [[system["by_distance"][group]["consistency"] for group in groups] for system in comparison.systems]
        group_lines(axes, groups, found)
        axes.set_xlabel("sentences apart (pairs)")
        percent_axis(axes, "y", "consistency, %")

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
            axes.errorbar([1000 * (run.cost.total or 0)], [value], yerr=error, capsize=2, **look(index, 8))
        axes.set_xlim(0, 1150 * max(run.cost.total or 0 for _, run in timed))
        axes.set_xlabel("milliseconds a story")
        percent_axis(axes, "y", "consistency, %")

    told = "; ".join(
        f"{tables.names(comparison)[index]}: {1000 * (run.cost.total or 0):.1f} ms a story, "
        f"consistency {100 * comparison.systems[index]['consistency']:.1f}"
        for index, run in timed
    )
    return Plot("cost", "Cost and consistency", drawn_svg("cost", draw, 3.1), f"{told}.")
