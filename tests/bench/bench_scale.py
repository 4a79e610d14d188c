"""How solving and proof grow with the length of a story, and how long xclingo takes to explain the same program.

Run by ``make bench``. Stories of 5 to 1,000 sentences are made by joining the stories of ``examples/twins.jsonl``, with
the states that the shipped model tells of each by itself (FakeTagger's, without a model). Times are processor time, the
median of some runs; growth is judged per sentence. ``--plot FILE`` draws the curve, where matplotlib is installed;
``--xclingo PYTHON`` names an interpreter that has xclingo (it wants a clingo of its own: give it an environment).
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

from disproof.bridge.engine import Engine
from disproof.bridge.twins import read_twins
from disproof.neural import DEFAULT_MODEL
from disproof.neural.fake import FakeTagger
from disproof.symbolic.facts import story_facts
from disproof.symbolic.parse import Parse
from disproof.symbolic.solver import Solver
from disproof.symbolic.story import Tagging
from disproof.symbolic.vocabulary import N_ATTRIBUTES, N_VALUES, UNKNOWN

ROOT = Path(__file__).resolve().parents[2]
STORIES = ROOT / "examples" / "twins.jsonl"
LENGTHS = (5, 50, 100, 200, 500, 1000)
# Times xclingo from the program's text to its first explanation graph; its import does not count.
XCLINGO = """
import json, sys, time
from xclingo import XclingoControl
began = time.process_time()
control = XclingoControl(["1"], n_explanations="1")
control.add("base", [], open(sys.argv[1], encoding="utf-8").read())
control.ground([("base", [])])
graphs = sum(1 for model in control.solve() for _ in model.explain_model())
print(json.dumps({"seconds": time.process_time() - began, "graphs": graphs}))
"""


def joined(engine: Engine, length: int) -> tuple[Parse, Tagging]:
    """A story of about ``length`` sentences, and its states."""
    stories = [story for twins in read_twins(STORIES) for story in twins.pair.stories]
    random.Random(0).shuffle(stories)
    sentences: list[str] = []
    told: list[tuple[int, Tagging]] = []
    for story in stories:
        if len(sentences) >= length:
            break
        told.append((len(sentences), engine.tag(story)))
        sentences += story.sentences
    parse = engine.parser.parse(tuple(sentences), None)
    place = {entity: number for number, entity in enumerate(parse.entities)}
    shape = (len(place), len(sentences), 2, N_ATTRIBUTES, N_VALUES)
    probabilities = np.zeros(shape, np.float32)
    probabilities[..., UNKNOWN] = 1
    for start, tagging in told:
        end = start + tagging.probabilities.shape[1]
        for number, entity in enumerate(tagging.entities):
            if entity in place:
                probabilities[place[entity], start:end] = tagging.probabilities[number]
    return parse, Tagging(parse.entities, probabilities)


def seconds(solver: Solver, parse: Parse, tagging: Tagging, times: int) -> float:
    """The median processor time to make the facts, solve, and prove every conflict."""
    taken = []
    for _ in range(times):
        began = time.process_time()
        solver.solve_story(parse, tagging)
        taken.append(time.process_time() - began)
    return statistics.median(taken)


def xclingo_program(solver: Solver, parse: Parse, tagging: Tagging) -> str:
    """The story's facts and live rules with their wordings, as xclingo reads them (it fails on ``_`` in bodies)."""
    index = solver.program.concerning(story_facts(parse, tagging, solver.synonyms))
    lines = [f"{name}({','.join(row)})." for (name, _), rows in sorted(index.texts.items()) for row in rows]
    for traced in solver.program.live(index):
        rule = traced.rule
        if rule.wording is not None:
            terms = "".join(f",{term}" for term in rule.wording_terms)
            lines.append(f"%!trace_rule {{{json.dumps(rule.wording)}{terms}}}.")
        head = traced.plain.split(" :- ", 1)[0]
        body = traced.trace.split(" :- ", 1)[1] if " :- " in traced.trace else ""
        lines.append(f"{head} :- {body}" if body else head)
    return "\n".join([*lines, "%!show_trace {conflict(I,J,R,E,A)}.", ""])


def xclingo_seconds(python: str, program: str) -> float:
    """The processor time in which xclingo explains a program."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "program.lp"
        path.write_text(program, "utf-8")
        done = subprocess.run([python, "-c", XCLINGO, str(path)], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.strip().splitlines()[-1])
    if not found["graphs"]:
        raise SystemExit("xclingo found no explanation: the comparison would say nothing")
    return float(found["seconds"])


def plot(path: Path, points: list[tuple[int, float]]) -> None:
    """Draw seconds over sentences, with the line through the point at 50."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(6, 4))
    axes.loglog([n for n, _ in points], [s for _, s in points], "o-", label="solving and proof")
    n, s = points[1]
    axes.loglog([5, 1000], [s * 5 / n, s * 1000 / n], ":", color="grey", label="linear from 50 sentences")
    axes.set_xlabel("sentences")
    axes.set_ylabel("seconds of processor time")
    axes.legend()
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=3, help="runs of each length (default 3)")
    parser.add_argument("--plot", type=Path, help="draw the curve into this file")
    parser.add_argument("--xclingo", metavar="PYTHON", help="compare with the xclingo of this interpreter")
    options = parser.parse_args()
    model = (ROOT / "neural" / "models" / DEFAULT_MODEL).is_dir()
    engine = Engine() if model else Engine(tagger=FakeTagger())
    solver = engine.solver
    assert isinstance(solver, Solver)
    print("sentences   seconds   ms a sentence" + ("   xclingo s   times faster" if options.xclingo else ""))
    points = []
    for length in LENGTHS:
        parse, tagging = joined(engine, length)
        count = len(parse.sentences)
        taken = seconds(solver, parse, tagging, options.times)
        points.append((count, taken))
        line = f"{count:9}{taken:10.3f}{1000 * taken / count:16.2f}"
        if options.xclingo and length <= 50:
            other = xclingo_seconds(options.xclingo, xclingo_program(solver, parse, tagging))
            line += f"{other:12.3f}{other / taken:15.1f}"
        print(line, flush=True)
    growth = (points[-1][1] / points[-1][0]) / (points[1][1] / points[1][0])
    print(f"from {points[1][0]} to {points[-1][0]} sentences the time a sentence grows {growth:.2f} times (bar 1.3)")
    if options.plot is not None:
        plot(options.plot, points)


if __name__ == "__main__":
    main()
