"""Proofs are walked without recursion, cite states at their two ends only, and travel flat."""

from __future__ import annotations

import pickle  # noqa: TID251  (what a process is sent is pickled by the standard library)

from disproof.symbolic.proof import Conflict, ProofNode, flatten, unflatten
from disproof.symbolic.story import State


def node(atom: str, *children: ProofNode, state: State | None = None, cost: float = 0.0) -> ProofNode:
    return ProofNode(atom, "rule", "r", "x.lp", 1, children=children, state=state, cost=cost)


def conflict(proof: ProofNode) -> Conflict:
    return Conflict(1, 3, "needs_power", "needs_power", "lamp", "power", proof)


def test_a_walk_goes_from_parents_to_children_in_order() -> None:
    proof = node("a", node("b", node("c")), node("d"))
    assert [n.atom for n in proof.walk()] == ["a", "b", "c", "d"]


def test_what_steps_share_is_walked_once() -> None:
    shared = node("s")
    for level in range(60):  # 2^60 paths
        shared = node(f"n{level}", shared, shared)
    assert len(list(shared.walk())) == 61


def test_only_states_at_the_two_ends_are_cited() -> None:
    states = [
        State("effect", 1, "lamp", "power", 1),
        State("precondition", 3, "lamp", "power", 2),
        State("precondition", 1, "lamp", "power", 2),
        State("effect", 3, "lamp", "running", 2),
        State("effect", 2, "lamp", "wet", 2),
    ]
    proof = node("c", *(node(str(k), state=state) for k, state in enumerate(reversed(states))))
    assert conflict(proof).states() == (states[0], states[1])


def test_a_state_that_is_cited_twice_counts_once() -> None:
    state = State("effect", 1, "lamp", "power", 1)
    assert conflict(node("c", node("a", state=state), node("b", state=state))).states() == (state,)


def test_a_conflict_costs_what_its_proof_costs_and_says_what_it_is() -> None:
    found = conflict(node("c", cost=1.25))
    assert found.cost == 1.25
    assert repr(found) == "Conflict(1 -> 3, needs_power, 'lamp'.power, cost 1.25)"


def deep(levels: int) -> ProofNode:
    proof = node("end")
    for level in range(levels):
        proof = node(f"n{level}", proof)
    return proof


def test_a_deep_proof_can_be_walked_and_sent() -> None:
    proof = deep(5000)
    assert sum(1 for _ in proof.walk()) == 5001
    (back,) = unflatten(pickle.loads(pickle.dumps(flatten([conflict(proof)]))))
    assert [n.atom for n in back.proof.walk()] == [n.atom for n in proof.walk()]


def test_conflicts_come_back_as_they_were_and_share_what_they_shared() -> None:
    shared = node("s", state=State("effect", 1, "lamp", "power", 1, 0.5), cost=0.7)
    sent = (conflict(node("a", shared, node("x"))), conflict(node("b", shared)))
    back = unflatten(flatten(sent))
    assert back == sent
    assert back[0].proof.children[0] is back[1].proof.children[0]
    assert [row.atom for row, _ in flatten(sent)[0]].count("s") == 1


def test_no_conflicts_are_sent_as_none() -> None:
    assert unflatten(flatten(())) == ()
