"""Print how the shipped model does on the hand-written everyday stories: development half, held-out half.

A right proof names the conflicting pair and the entity (its head noun), by a rule. Not a test: it fails on nothing.
"""

from __future__ import annotations

import json
from pathlib import Path

from disproof.bridge.engine import Engine, ranked_proofs
from disproof.symbolic.aliases import head
from disproof.symbolic.story import Story

STORIES = Path(__file__).resolve().parent.parent / "data" / "everyday.jsonl"


def main() -> None:
    """Measure both halves."""
    engine = Engine()
    items = [json.loads(line) for line in STORIES.read_text("utf-8").splitlines()]
    print("half        pair  proof  broken called implausible  twin called plausible  broken above twin")
    for name, half in (("development", items[:50]), ("held out", items[50:])):
        pair = proof = implausible = plausible = above = 0
        for item in half:
            analyses = [engine.analyse(Story(tuple(item[kind]))) for kind in ("broken", "restored")]
            broken, twin = (analysis.judged(engine.weights) for analysis in analyses)
            best = broken.best
            right = best is not None and [best.evidence, best.breakpoint] == item["conflict"]
            shown = ranked_proofs(best, engine.weights)[:1] if best is not None else []
            pair += right
            proof += right and any(head(c.entity) == head(item["entity"]) for c in shown)
            implausible += not broken.plausible
            plausible += twin.plausible
            above += broken.log_odds > twin.log_odds
        n = len(half)
        figures = ((pair, 5), (proof, 7), (implausible, 27), (plausible, 23), (above, 19))
        print(f"{name:<11}" + "".join(f"{count / n:{width}.0%}" for count, width in figures))


if __name__ == "__main__":
    main()
