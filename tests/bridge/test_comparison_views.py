"""The terminal's page of a comparison, and its CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace

import pytest

from disproof.bridge.comparison import Comparison, compare
from disproof.bridge.comparison_views import comparison_csv, comparison_view
from disproof.bridge.output import rendered

Compared = Callable[..., Comparison]


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def block(page: str, title: str) -> str:
    """The part of a page under a title, up to the next empty line."""
    return page.partition(f"\n{title}\n")[2].partition("\n\n")[0]


def test_the_page_has_every_table_within_eighty_columns(compared: Compared) -> None:
    page = rendered(comparison_view(compared(name="a-file-of-predictions-with-a-very-long-name"), ["Not these pairs."]))
    assert max(map(len, page.splitlines())) <= 80
    assert page.startswith("4 pairs of stories, 3 systems (rules, prior and")
    assert "Not these pairs." in page.splitlines()
    for title in (
        "How many pairs are right",
        "What is left at the next tier",
        "Do two systems differ?",
        "States and sentences",
        "With and without a proof",
        "One story at a time",
        "How honest the confidence is",
        "What is right, each by itself",
        "By kind of conflict",
        "By distance",
        "Cost",
        "Where systems disagree",
    ):
        assert block(page, title), title


def test_the_tiers_come_with_their_intervals_and_beside_what_was_published(compared: Compared) -> None:
    found = block(rendered(comparison_view(compared())), "How many pairs are right")
    lines = found.splitlines()
    assert lines[1].split() == ["rules", "75.0", "50.0", "50.0", "50.0", "25.0"]
    assert lines[2].split()[0] == "0.0–100.0"
    assert "72.9         19.1         9.1" in found
    assert "(published, from" in found
    assert "TRIP's test set" in found


def test_what_is_left_at_the_next_tier_is_a_share_of_the_tier_before(compared: Compared) -> None:
    lines = block(rendered(comparison_view(compared())), "What is left at the next tier").splitlines()
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.split()}
    assert rows["rules"] == ["66.7", "100.0", "100.0"]
    assert rows["prior"] == ["50.0", "0.0", "0.0"]


def test_paired_tests_show_both_counts_and_p(compared: Compared) -> None:
    lines = block(rendered(comparison_view(compared())), "Do two systems differ?").splitlines()
    assert lines[1].split() == "rules : 1 : 0 1 : 0 2 : 0 2 : 0 1 : 0".split()
    assert lines[2].split() == "prior p 1.000 p 1.000 p 0.500 p 0.500 p 1.000".split()


def test_what_a_system_does_not_have_is_a_dash(compared: Compared) -> None:
    page = rendered(comparison_view(compared(name="own")))
    assert "own –" in " ".join(block(page, "How honest the confidence is").split())
    assert "own – – – –" in " ".join(block(page, "Cost").split())
    assert "rules 20.0 10.0 30.0 0.0" in " ".join(block(page, "Cost").split())


def test_five_systems_are_shown_in_two_parts(compared: Compared) -> None:
    found = compared()
    runs = [replace(found.runs[0], name=f"system{k}") for k in range(5)]
    page = rendered(comparison_view(compare(found.pairs, runs)))
    lines = block(page, "What is right, each by itself").splitlines()
    heads = [line.split() for line in lines if line.startswith("right ") and "system" in line]
    assert heads == [["right", "system0", "system1", "system2", "system3"], ["right", "system4"]]
    assert max(map(len, page.splitlines())) <= 80


def test_the_first_disagreements_are_named_with_what_each_system_reaches(compared: Compared) -> None:
    page = rendered(comparison_view(compared()))
    assert page.endswith(
        "1 of 4 pairs\n1-C1\n  rules         accuracy, consistency, all states, proof\n"
        "  prior         the wrong story\n  people’s own  the wrong story\n"
    )


def test_a_name_cannot_steer_the_terminal(compared: Compared) -> None:
    page = rendered(comparison_view(compared(name="\x1b[31mred [bold]x")))
    assert "\x1b" not in page
    assert "\\x1b[31mred [bold]x" in page


def test_one_system_alone_has_no_tests_and_no_disagreements(compared: Compared) -> None:
    found = compared()
    alone = compare(found.pairs, found.runs[:1])
    page = rendered(comparison_view(alone))
    assert "Do two systems differ?" not in page
    assert "Where systems disagree" not in page
    assert records(comparison_csv(alone)["paired.csv"]) == []


def test_the_csv_files_hold_what_the_comparison_holds(compared: Compared) -> None:
    found = compared()
    files = {name: records(text) for name, text in comparison_csv(found).items()}
    assert files["tiers.csv"][0] == {
        "system": "rules",
        "n": "4",
        "tier": "accuracy",
        "value": "0.75",
        "low": "0",
        "high": "1",
    }
    assert len(files["tiers.csv"]) == 15
    for row, test in zip(files["paired.csv"], found.paired, strict=True):
        assert (row["first"], row["second"], row["tier"]) == (*test["systems"], test["tier"])
        assert float(row["p"]) == pytest.approx(test["p"], rel=1e-5)
    assert {(row["system"], row["attribute"], row["side"]): row["f1"] for row in files["attributes.csv"]}[
        "rules", "temperature", "precondition"
    ] == ""
    assert sum(int(row["pairs"]) for row in files["failure_modes.csv"]) == 3 * 4
    assert {row["states"] for row in files["failure_modes.csv"]} == {"right", "wrong"}
    kinds = {(row["system"], row["kind"], row["tier"]): float(row["value"]) for row in files["by_kind.csv"]}
    assert kinds["rules", "pieces", "consistency"] == 0.5
    assert {row["distance"] for row in files["by_distance.csv"]} == {"1", "2"}
    assert [row["system"] for row in files["calibration.csv"]] == ["rules"] * 3 + ["prior"]
    assert files["cost.csv"][0] == {
        "system": "rules",
        "tagging_seconds": "0.02",
        "solving_seconds": "0.01",
        "total_seconds": "0.03",
        "model_bytes": "2",
    }
    assert set(files["cost.csv"][1].values()) == {"prior", ""}
    assert files["disagreements.csv"][1] == {
        "pair": "1-C1",
        "label": "1",
        "system": "prior",
        "choice": "0",
        **dict.fromkeys(("accuracy", "consistency", "all_states", "proof", "proof_both_sides"), "0"),
    }
    figures = {(row["system"], row["figure"]): row["value"] for row in files["figures.csv"]}
    assert figures["rules", "single_auroc"] == "0.75"
    assert figures["people’s own", "expected_calibration_error"] == ""
    assert figures["rules", "unproven_accuracy"] == "0"


def test_names_with_commas_quotes_and_lines_survive_csv(compared: Compared) -> None:
    name = 'a, "b"\nc'
    rows = records(comparison_csv(compared(name=name))["cost.csv"])
    assert rows[2]["system"] == name
