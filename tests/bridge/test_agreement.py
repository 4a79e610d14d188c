"""Wordings are written for one thing and agree with what fills them."""

from __future__ import annotations

import pytest

from disproof.bridge.agreement import agreeing, is_plural


@pytest.mark.parametrize(
    "thing",
    ["scissors", "dishes", "wool socks", "pieces of bread", "children", "women", "Toys", "glasses of water", "people"],
)
def test_a_name_of_several_things_is_a_plural(thing: str) -> None:
    assert is_plural(thing)


@pytest.mark.parametrize(
    "thing", ["lamp", "glass", "bus", "box of nails", "gas", "tennis", "dress", "specimen", "cactus", "sock drawer", ""]
)
def test_a_name_of_one_thing_is_none(thing: str) -> None:
    assert not is_plural(thing)


@pytest.mark.parametrize(
    ("text", "things", "agreed"),
    [
        ("the mugs is wet, but it works", ["mugs"], "the mugs are wet, but they work"),
        ("the mugs does not exist", ["mugs"], "the mugs do not exist"),
        ("sentence 1 leaves the mugs’s power off", ["mugs"], "sentence 1 leaves the mugs’ power off"),
        ("the men's hygiene is poor", ["men"], "the men's hygiene is poor"),
        ("the mugs goes with what it is in", ["mugs"], "the mugs go with what they are in"),
        ("the mugs itself reaches the shelf", ["mugs"], "the mugs themselves reach the shelf"),
        ("the mugs has its handle", ["mugs"], "the mugs have their handle"),
        ("sentence 2 calls the mugs clean as ever", ["mugs"], "sentence 2 calls the mugs clean as ever"),
        # Pronouns stand for what is named first.
        ("sentence 1 puts the mugs into the box, but it is shut", ["mugs", "box"], None),
        ("sentence 1 puts the mug into the boxes, but it is full", ["mug", "boxes"], "SAME"),
        # What comes before the thing does not stand for it.
        ("it is dark when the mugs is sought", ["mugs"], "it is dark when the mugs are sought"),
        # A longer name is not cut.
        ("the mugs rack is wet", ["mugs", "mugs rack"], "SAME"),
        ("the mug is wet, but sentence 2 uses it", ["mug"], "SAME"),
        ("sentence 2 uses nothing", ["mugs"], "SAME"),
        ("the a.b* is wet", ["a.b*"], "SAME"),
    ],
)
def test_verbs_and_pronouns_follow_the_number_of_the_thing(text: str, things: list[str], agreed: str | None) -> None:
    if agreed is None:
        agreed = "sentence 1 puts the mugs into the box, but they are shut"
    assert agreeing(text, things) == (text if agreed == "SAME" else agreed)
