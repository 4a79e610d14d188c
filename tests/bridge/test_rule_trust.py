"""How far a rule is trusted to tell solutions apart."""

from __future__ import annotations

import json

import pytest

from disproof.bridge.rule_trust import OWN, RuleTrust, is_shipped, learn_trust
from disproof.symbolic.proof import Conflict, ProofNode


def conflict(rule: str, file: str = "affordances.lp", asks: bool = True) -> Conflict:
    children = (ProofNode("goal(1)", "text"),) if asks else ()
    root = ProofNode(f"conflict(0,1,{rule},...)", "rule", rule, file, 1, "", children)
    return Conflict(0, 1, rule, rule, "cup", "functional", root)


def test_a_rule_is_trusted_as_far_as_it_was_right() -> None:
    good, bad = conflict("blunt_tool"), conflict("stored_then_used", "storage.lp", asks=False)
    trust = learn_trust([(good, True)] * 8 + [(good, False)] + [(bad, False)] * 6 + [(bad, True)])
    assert trust.of(good) > 1
    assert trust.of(bad) == 0
    assert trust.rules["stored_then_used"] < 0


def test_what_fires_seldom_is_trusted_like_its_kind() -> None:
    known, rare = conflict("blunt_tool"), conflict("too_big")
    trust = learn_trust([(known, True)] * 9 + [(known, False)] + [(rare, False)])
    unseen = conflict("does_not_roll")
    assert trust.of(unseen) == trust.kinds["procedure"] > 1
    assert 0 < trust.of(rare) < trust.of(unseen)
    assert trust.of(conflict("gone_then_used", "whereabouts.lp", asks=False)) == 0  # no story rule was ever right


def test_a_rule_of_ones_own_is_trusted_most() -> None:
    mine = conflict("blunt_tool", "mine/affordances.lp", asks=False)
    assert not is_shipped(mine)
    trust = learn_trust([(conflict("blunt_tool"), False)] * 3 + [(conflict("too_big"), True)] * 9)
    assert trust.of(mine) == OWN > trust.of(conflict("too_big")) > trust.of(conflict("blunt_tool")) == 0


def test_trust_is_kept_in_a_file() -> None:
    trust = learn_trust([(conflict("blunt_tool"), True)])
    assert RuleTrust.from_json(json.loads(json.dumps(trust.to_json()))) == trust
    with pytest.raises((KeyError, TypeError)):
        RuleTrust.from_json({"rules": {}})
