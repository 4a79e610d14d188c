"""Proofs: trees of the ground rules that fired, from a conflict down to the story's text and states.

A proof is data; text, JSON and graphs are views of it (``outline``, ``documents`` and ``graphs`` in ``bridge``).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from .story import State

# What a node rests on: a rule that fired, a fact of a rule file, a state the tagger predicted, or the story's text.
Basis = Literal["rule", "lexicon", "state", "text"]


@dataclass(frozen=True)
class ProofNode:
    """One step: ``atom`` follows by ``rule`` (at ``file``:``line``) from ``children``, none of ``absent`` holding.

    ``wording`` is the rule's own sentence with its holes filled in; ``cost`` is -ln of the probability of the states
    that the step and all below it cite.
    """

    atom: str
    basis: Basis
    rule: str | None = None
    file: str | None = None
    line: int | None = None
    wording: str | None = None
    children: tuple[ProofNode, ...] = ()
    absent: tuple[str, ...] = ()
    state: State | None = None
    cost: float = 0.0

    def walk(self) -> Iterator[ProofNode]:
        """This node and all below it, each once (steps may share what they rest on), parents first."""
        seen = {id(self)}
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            for child in reversed(node.children):
                if id(child) not in seen:
                    seen.add(id(child))
                    stack.append(child)


@dataclass(frozen=True)
class Conflict:
    """Sentences ``evidence`` < ``breakpoint`` cannot both be true, by ``rule``, about ``entity``'s ``attribute``.

    ``reason`` is the third argument of the derived atom: usually the rule's name, with details that weights may tell
    apart ("gone_then_used(lost)").
    """

    evidence: int
    breakpoint: int
    rule: str
    reason: str
    entity: str
    attribute: str
    proof: ProofNode

    @property
    def cost(self) -> float:
        """-ln of the probability of what the proof cites."""
        return self.proof.cost

    def states(self) -> tuple[State, ...]:
        """The states the proof cites at its two ends: effects of the evidence, preconditions of the breakpoint."""
        cited = {
            node.state
            for node in self.proof.walk()
            if node.state is not None
            and (node.state.side, node.state.sentence) in (("effect", self.evidence), ("precondition", self.breakpoint))
        }
        return tuple(sorted(cited))

    def __repr__(self) -> str:
        return (
            f"Conflict({self.evidence} -> {self.breakpoint}, {self.rule}, {self.entity!r}.{self.attribute}, "
            f"cost {self.cost:.2f})"
        )


# Proofs as a table of nodes, each with the rows of its children, and the rows of the proofs' roots: pickling a proof as
# the tree it is would recurse, and a state can persist over hundreds of sentences.
FlatNodes = tuple[list[tuple[ProofNode, tuple[int, ...]]], list[int]]
# Conflicts with such a table, each with the row of its proof.
FlatProofs = tuple[list[tuple[ProofNode, tuple[int, ...]]], list[tuple[tuple[int, int, str, str, str, str], int]]]


def flatten_nodes(proofs: Iterable[ProofNode]) -> FlatNodes:
    """Proofs in a form without depth, to be sent to another process; children stand before their parents."""
    rows: list[tuple[ProofNode, tuple[int, ...]]] = []
    number: dict[int, int] = {}
    roots = []
    for proof in proofs:
        stack = [proof]
        while stack:
            node = stack[-1]
            waiting = [child for child in node.children if id(child) not in number]
            if waiting:
                stack += waiting
                continue
            stack.pop()
            if id(node) not in number:
                number[id(node)] = len(rows)
                rows.append((replace(node, children=()), tuple(number[id(child)] for child in node.children)))
        roots.append(number[id(proof)])
    return rows, roots


def unflatten_nodes(flat: FlatNodes) -> tuple[ProofNode, ...]:
    """The proofs that were flattened."""
    nodes: list[ProofNode] = []
    for node, children in flat[0]:
        nodes.append(replace(node, children=tuple(nodes[child] for child in children)))
    return tuple(nodes[row] for row in flat[1])


def flatten(conflicts: Iterable[Conflict]) -> FlatProofs:
    """Conflicts in a form without depth, to be sent to another process."""
    listed = tuple(conflicts)
    rows, roots = flatten_nodes(conflict.proof for conflict in listed)
    fields = [(c.evidence, c.breakpoint, c.rule, c.reason, c.entity, c.attribute) for c in listed]
    return rows, list(zip(fields, roots, strict=True))


def unflatten(flat: FlatProofs) -> tuple[Conflict, ...]:
    """The conflicts that were flattened."""
    rows, found = flat
    proofs = unflatten_nodes((rows, [row for _, row in found]))
    return tuple(Conflict(*fields, proof) for (fields, _), proof in zip(found, proofs, strict=True))
