"""How long the command line takes: help, a cold ``explain``, and a warm one split into its parts.

Run by ``make bench``; prints figures and judges none, because they are the machine's. Without the shipped model the
states come from a tagger that knows none, and the figures say so.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import disproof
from disproof.bridge.engine import Engine
from disproof.bridge.scoring import Weights
from disproof.neural import DEFAULT_MODEL
from disproof.neural.fake import FakeTagger
from disproof.symbolic.story import Story

ROOT = Path(str(disproof.__file__)).parent
STORY = Path(__file__).resolve().parents[2] / "examples" / "phone.txt"
MODEL = ROOT / "neural" / "models" / DEFAULT_MODEL


def process_seconds(*arguments: str, times: int = 3) -> float:
    """The best of some runs of the command line as a process of its own."""
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        subprocess.run([sys.executable, "-P", "-m", "disproof.cli", *arguments], capture_output=True, check=True)
        taken.append(time.perf_counter() - began)
    return min(taken)


def median_ms(work: Callable[[], object], times: int) -> float:
    """The median of some runs in this process, in milliseconds, after two that do not count."""
    taken = []
    for number in range(times + 2):
        began = time.perf_counter()
        work()
        if number >= 2:
            taken.append(1000 * (time.perf_counter() - began))
    return statistics.median(taken)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=30, help="warm runs of each part (default 30)")
    times = parser.parse_args().times
    story = Story(tuple(STORY.read_text("utf-8").split("\n")[:5]))
    if MODEL.is_dir():
        engine, named = Engine(), f"the shipped model {DEFAULT_MODEL!r}"
    else:
        engine, named = Engine(tagger=FakeTagger(), weights=Weights()), "no shipped model: a tagger that knows nothing"
    print(f"{STORY.name}, {len(story.sentences)} sentences; {named}")
    print(f"{'disproof --help':<34}{process_seconds('--help'):8.2f} s    (bar 0.5)")
    if MODEL.is_dir():
        print(f"{'disproof explain, cold':<34}{process_seconds('explain', str(STORY)):8.2f} s    (bar 5)")
    parse = engine.parser.parse(story.sentences, story.entities)
    tagging = engine.tagger.tag(story.sentences, parse.entities)
    parts: list[tuple[str, Callable[[], object], str]] = [
        ("explain, warm", lambda: engine.explain(story), "bar 100"),
        ("  parsing", lambda: engine.parser.parse(story.sentences, story.entities), ""),
        ("  tagging", lambda: engine.tagger.tag(story.sentences, parse.entities), ""),
        ("  solving and proof", lambda: engine.solver.solve_story(parse, tagging), "bar 15"),
    ]
    for name, work, bar in parts:
        print(f"{name:<34}{median_ms(work, times):8.1f} ms" + (f"   ({bar})" if bar else ""))


if __name__ == "__main__":
    main()
