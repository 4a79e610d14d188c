"""The plots of a comparison on PIQA, as SVG to stand inside a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, get_args

from .drawing import INK, Plot, bars_svg, drawn_svg, error_bars, group_lines, percent_axis, row_names
from .piqa import PiqaBasis
from .piqa_comparison import PiqaComparison
from .wording import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BASES: Final[tuple[PiqaBasis, ...]] = get_args(PiqaBasis)
# The parts of a bar from the left: right choices by basis, then wrong ones in the other order. Shades from 4 are warm.
_SHADES: Final = {
    0: "by proof, right",
    1: "by evidence, right",
    2: "by neither, right",
    6: "by neither, wrong",
    5: "by evidence, wrong",
    4: "by proof, wrong",
}


def piqa_plots(comparison: PiqaComparison) -> dict[str, Plot]:
    """The plots by name; those for which no system has figures are left out."""
    found = [_accuracy(comparison), _bases(comparison), _by_distance(comparison)]
    return {plot.key: plot for plot in found if plot is not None}


def _accuracy(comparison: PiqaComparison) -> Plot:
    systems = comparison.systems

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axvline(50, color=INK, linestyle=":", linewidth=1)
        for index, system in enumerate(systems):
            decided = system["decided"]
            values, intervals = [system["accuracy"], decided["accuracy"]], [system["interval"], decided["interval"]]
            error_bars(axes, index, len(systems), values, intervals)
        row_names(axes, ["all items", "decided"])
        percent_axis(axes, "x", "% right, with 95% intervals")

    told = (f"{printable(system['system'])} {100 * system['accuracy']:.1f}" for system in systems)
    return Plot(
        "accuracy",
        "Choices that are right",
        drawn_svg("accuracy", draw, 1.0 + 2 * max(0.4, 0.2 * len(systems))),
        f"Percent of items right: {', '.join(told)}. Dotted: a coin.",
    )


def _bases(comparison: PiqaComparison) -> Plot | None:
    names, bars = [], []
    for run, system in zip(comparison.runs, comparison.systems, strict=True):
        if run.kind != "random":  # a coin's choices rest on nothing
            names.append(printable(run.name))
            bars.append({shade: _counts(system)[shade] for shade in _SHADES})
    if not bars:
        return None
    told = "; ".join(
        f"{name}: " + ", ".join(f"{count} {_SHADES[shade]}" for shade, count in bar.items() if count)
        for name, bar in zip(names, bars, strict=True)
    )
    svg = bars_svg("bases", names, bars, "items")
    return Plot("bases", "What choices rest on", svg, f"Items by the basis of the choice. {told}.", _SHADES)


def _counts(system: dict[str, Any]) -> dict[int, int]:
    """How many choices are in each shade."""
    counts = {}
    for shade, basis in enumerate(_BASES):
        n, share = system["by_basis"][basis]["n"], system["by_basis"][basis]["accuracy"]
        counts[shade] = round(n * (share or 0.0))
        counts[shade + 4] = n - counts[shade]
    return counts


def _by_distance(comparison: PiqaComparison) -> Plot:
    systems = comparison.systems
    groups = {group: shares["n"] for group, shares in systems[0]["by_distance"].items() if shares["n"]}

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.axhline(50, color=INK, linestyle=":", linewidth=1)
        group_lines(
            axes, groups, [[system["by_distance"][group]["accuracy"] for group in groups] for system in systems]
        )
        axes.set_xlabel("words that differ (items)")
        percent_axis(axes, "y", "% right")

    return Plot(
        "by_distance",
        "Right choices by how many words differ",
        drawn_svg("distance", draw, 3.1),
        "Lines: percent of items right for each system, by how many words the solutions differ in. Dotted: a coin. "
        "The table has the figures.",
    )
