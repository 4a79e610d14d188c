"""Proofs as pictures: the outline of a proof as a networkx graph, written in the DOT or the Mermaid language.

An edge goes from what a step rests on to the step, so arrows point the way an argument goes.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import networkx as nx

from .outline import Step, outline, pruned
from .verdict import Verdict
from .wording import percent

# Nodes count from 0, the conclusion first; no edge leaves a conclusion.
Graph: TypeAlias = "nx.DiGraph[int]"

_DOT_SHAPES: Final = {"rule": "box", "lexicon": "note", "state": "ellipse", "text": "plaintext", "absence": "box"}
_MERMAID_SHAPES: Final = {
    "rule": ("[", "]"),
    "lexicon": ("[/", "/]"),
    "state": ("([", "])"),
    "text": ("[", "]"),
    "absence": ("{{", "}}"),
}
_LINE: Final = 40


def verdict_graph(verdict: Verdict, every: bool = False, depth: int | None = None) -> Graph:
    """The verdict's proof as a graph; a single node where there is none.

    Nodes carry ``text``, ``kind``, ``source`` and ``probability`` (see ``Step``); the graph carries the story's ``id``.
    ``every`` draws the other proofs beside the best one, and ``depth`` cuts each off so many steps before its end.
    """
    graph: Graph = nx.DiGraph(id=verdict.id)
    _add(graph, pruned(conclusion(verdict), depth))
    for conflict in verdict.others if every else ():
        _add(graph, pruned(outline(conflict.proof), depth))
    return graph


def conclusion(verdict: Verdict) -> Step:
    """What the picture leads up to: the proof's outline, or one step that says why there is none."""
    if verdict.conflict is not None:
        return outline(verdict.conflict.proof)
    if verdict.plausible:
        return Step("the story is plausible: no conflict was found", "rule")
    if verdict.pair is None:
        return Step("the story is implausible by the neural prior alone", "rule")
    first, second = (sentence + 1 for sentence in verdict.pair)
    return Step(f"sentences {first} and {second} conflict by the neural prior alone; no rule proves it", "rule")


def dot(graph: Graph) -> str:
    """A graph in the DOT language of Graphviz."""
    name = graph.graph.get("id") or "proof"
    lines = [f"digraph {_quoted(name)} {{", "  rankdir=BT;", '  node [fontname="Helvetica"];']
    for node, step in graph.nodes(data=True):
        style = ", style=dashed" if step["kind"] == "absence" else ", style=bold" if not graph.out_degree(node) else ""
        label = _quoted("\n".join(_label(step)))
        lines.append(f"  n{node} [label={label}, shape={_DOT_SHAPES[step['kind']]}{style}];")
    lines += [f"  n{start} -> n{end};" for start, end in graph.edges]
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(graph: Graph) -> str:
    """A graph as a Mermaid flow chart."""
    lines = ["flowchart BT"]
    for node, step in graph.nodes(data=True):
        before, after = _MERMAID_SHAPES[step["kind"]]
        label = "<br/>".join(_entities(line) for line in _label(step))
        lines.append(f'  n{node}{before}"{label}"{after}')
    lines += [f"  n{start} --> n{end}" for start, end in graph.edges]
    return "\n".join(lines) + "\n"


def _add(graph: Graph, step: Step) -> int:
    number = graph.number_of_nodes()
    graph.add_node(number, text=step.text, kind=step.kind, source=step.source, probability=step.probability)
    for child in step.children:
        graph.add_edge(_add(graph, child), number)
    return number


def _label(step: dict[str, object]) -> list[str]:
    """A node's lines: its text, broken for a narrow box, and where it comes from."""
    probability = step["probability"]
    words = str(step["text"]).split()
    if isinstance(probability, float):
        words.append(f"({percent(probability)})")
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(word) < _LINE:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return [*lines, f"[{step['source']}]"] if step["source"] else lines


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", " ").replace("\n", "\\n")
    return f'"{escaped}"'


def _entities(text: str) -> str:
    """A text in which no character means anything to Mermaid or to HTML."""
    return "".join(c if c.isalnum() or c in " .,:;-'()_/’“”%" else f"#{ord(c)};" for c in text)
