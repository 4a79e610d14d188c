"""The tiered baseline by weights of its losses: a table of all folds measured so far, beside the paper's rows.

``python tests/bench/tiered_table.py [RUN...]`` takes the finished folds of runs of ``train tiered --folds 5`` into
``docs/tiered-folds.jsonl``, a line a fold, and prints the table of that file. A fold takes half an hour of one core:
so it need be trained but once, whoever has the time.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections import defaultdict
from pathlib import Path
from typing import Any

from disproof.bridge.files import write_atomic
from disproof.bridge.tiered_training import ABLATIONS, PUBLISHED
from disproof.bridge.training import FOLDS

RECORD = Path(__file__).resolve().parents[2] / "docs" / "tiered-folds.jsonl"
SETTING = ("encoder", "learning_rate", "losses", "seed", "fold")
FIGURES = ("accuracy", "consistency", "verifiability", "precondition_f1", "effect_f1", "conflict_f1", "auroc")
Fold = dict[str, Any]


def read_run(folder: Path) -> list[Fold]:
    """The finished folds of a run, as lines of the record."""
    found = []
    for path in sorted(folder.glob("fold-*/metrics.json")):
        metrics = json.loads(path.read_text("utf-8"))
        settings = metrics["training"]
        held_out = metrics["held_out"][settings["conflicts"]]
        found.append(
            {
                "encoder": Path(settings["encoder"]).name,
                "learning_rate": settings["learning_rate"],
                "losses": [settings["losses"][part] for part in ("precondition", "effect", "conflict", "story")],
                "seed": settings["seed"],
                "fold": int(path.parent.name.removeprefix("fold-")),
                "n": held_out["n"],
                **{name: round(held_out[name], 4) for name in FIGURES if name in held_out and name != "verifiability"},
                "verifiability": round(held_out["verifiability"]["all_states"], 4),
                "auroc": round(held_out["single"]["auroc"], 4),
                "best_epoch": metrics["best_epoch"] + 1,
                "minutes": round(sum(metrics["epoch_seconds"]) / 60),
            }
        )
    return found


def merged(old: list[Fold], new: list[Fold]) -> list[Fold]:
    """All folds once, the newer of two alike, in the order of their settings."""
    by_setting = {json.dumps([fold[name] for name in SETTING]): fold for fold in (*old, *new)}
    return [by_setting[key] for key in sorted(by_setting)]


def rows(folds: list[Fold]) -> list[str]:
    """A row for each encoder and weighting of losses: of each seed the mean over the pairs of its folds."""
    names = {weights: name for name, weights in ABLATIONS.items()}
    groups: dict[tuple[Any, ...], dict[int, list[Fold]]] = defaultdict(lambda: defaultdict(list))
    for fold in folds:
        key = (fold["encoder"], fold["learning_rate"], tuple(fold["losses"]))
        groups[key][fold["seed"]].append(fold)
    printed = []
    for (encoder, rate, losses), seeds in sorted(groups.items()):
        cells = [f"{names.get(losses, losses)} | {encoder}, {rate:g}"]
        cells += [", ".join(f"{seed}: {len(done)} of {FOLDS}" for seed, done in sorted(seeds.items()))]
        for name in FIGURES:
            each = [
                100 * sum(fold["n"] * fold[name] for fold in done) / sum(fold["n"] for fold in done)
                for done in seeds.values()
            ]
            spread = f" ± {statistics.stdev(each):.1f}" if len(each) > 1 else ""
            cells.append(f"{statistics.mean(each):.1f}{spread}")
        printed.append(f"| {' | '.join(cells)} |")
    published = [f"{100 * PUBLISHED[name]:.1f}" if name in PUBLISHED else "–" for name in FIGURES]
    return [*printed, f"| without story | RoBERTa-large, the paper's, on TRIP's test | | {' | '.join(published)} |"]


def main() -> None:
    """Add the folds of the runs given to the record, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="*", type=Path, metavar="RUN", help="folders of train tiered --folds")
    arguments = parser.parse_args()
    old = [json.loads(line) for line in RECORD.read_text("utf-8").splitlines()] if RECORD.exists() else []
    folds = merged(old, [fold for run in arguments.runs for fold in read_run(run)])
    if arguments.runs:
        write_atomic(RECORD, "".join(json.dumps(fold) + "\n" for fold in folds))
    print(f"| losses | encoder, rate | folds of each seed | {' | '.join(FIGURES)} |\n|{'---|' * (3 + len(FIGURES))}")
    print("\n".join(rows(folds)))


if __name__ == "__main__":
    main()
