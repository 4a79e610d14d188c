"""Proofs as graphs, and as DOT and Mermaid text that no story can break."""

from __future__ import annotations

import re

import networkx as nx
import pytest

from disproof.bridge.graphs import dot, mermaid, verdict_graph
from disproof.bridge.verdict import Verdict
from disproof.symbolic.proof import Conflict, ProofNode

NASTY = 'a "quoted" \\ [name]<br> | {x}; %% #quot; --> n0'
SENTENCES = ("One.", "Two.")


def proved(wording: str, identifier: str = "") -> Verdict:
    used = ProofNode(
        "uses(1)", "rule", "uses", "acts.lp", 21, "sentence 2 uses it", (ProofNode('verb(1,"cut")', "text"),)
    )
    proof = ProofNode("c", "rule", "r", "x.lp", 1, wording, (used,), ('takes_out(1,"cup")',))
    return Verdict(identifier, SENTENCES, (), False, 0.9, "proof", (0, 1), Conflict(0, 1, "r", "r", "e", "a", proof))


def test_arguments_point_to_the_conclusion() -> None:
    graph = verdict_graph(proved("told"))
    assert nx.is_arborescence(graph.reverse())
    assert [node for node, degree in graph.out_degree() if degree == 0] == [0]
    assert graph.nodes[0]["text"] == "told"
    assert {data["kind"] for _, data in graph.nodes(data=True)} == {"rule", "text", "absence"}


@pytest.mark.parametrize(
    ("verdict", "text"),
    [
        (Verdict("", SENTENCES, (), True, 0.9, "no conflict"), "the story is plausible: no conflict was found"),
        (
            Verdict("", SENTENCES, (), False, 0.9, "neural prior", (0, 1)),
            "sentences 1 and 2 conflict by the neural prior alone; no rule proves it",
        ),
    ],
)
def test_a_verdict_without_proof_is_a_single_node_that_says_so(verdict: Verdict, text: str) -> None:
    graph = verdict_graph(verdict)
    assert (graph.number_of_nodes(), graph.nodes[0]["text"]) == (1, text)


def test_dot_names_every_node_and_edge() -> None:
    text = dot(verdict_graph(proved("told")))
    assert text.startswith('digraph "proof" {\n')
    assert text.endswith("}\n")
    assert len(re.findall(r"^  n\d+ \[", text, re.M)) == 4
    assert len(re.findall(r"^  n\d+ -> n\d+;$", text, re.M)) == 3


def test_no_text_ends_a_dot_string_early() -> None:
    text = dot(verdict_graph(proved(NASTY, identifier='id "x"\n')))
    for line in text.splitlines():
        unescaped = re.sub(r"\\.", "", line)
        assert unescaped.count('"') % 2 == 0
    assert text.startswith('digraph "id \\"x\\"\\n" {')


def test_no_text_means_anything_to_mermaid() -> None:
    lines = mermaid(verdict_graph(proved(NASTY))).splitlines()
    assert lines[0] == "flowchart BT"
    label = re.fullmatch(r'  n0\["(.*)"\]', lines[1])
    assert label is not None
    shown = label[1].replace("<br/>", " ")
    assert not set('"[]<>|{}\\') & set(shown)
    assert re.sub(r"#(\d+);", lambda code: chr(int(code[1])), shown) == f"{NASTY} [r, x.lp:1]"
