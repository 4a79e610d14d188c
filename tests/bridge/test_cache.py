"""What was read and solved before is used again where it still holds, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from disproof.bridge.cache import Cache, default_folder, files_digest
from disproof.bridge.cached_parts import CachedParser, CachedSolver, CachedTagger
from disproof.neural.fake import FakeTagger
from disproof.neural.parser import Parser
from disproof.symbolic.errors import DisproofError
from disproof.symbolic.parse import Parse
from disproof.symbolic.rulebook import load
from disproof.symbolic.solver import Solution, Solver
from disproof.symbolic.story import Tagging

STORY = ("Ann unplugged the lamp.", "Ann read by the light of the lamp.")
OTHER = ("Ann sold the guitar.", "Ann tuned the guitar.")
TAGGER = FakeTagger({STORY[0]: {("effect", "lamp", "power"): 1}, STORY[1]: {("precondition", "lamp", "power"): 2}})


class CountingParser(Parser):
    """A parser that counts its stories."""

    count = 0

    def parse(self, sentences: Sequence[str], entities: Sequence[str] | None = None) -> Parse:
        self.count += 1
        return super().parse(sentences, entities)


class CountingTagger:
    """A tagger that counts its stories and scores pairs."""

    count = 0

    def tag(self, sentences: Sequence[str], entities: Sequence[str]) -> Tagging:
        self.count += 1
        found = TAGGER.tag(sentences, entities)
        return Tagging(found.entities, found.probabilities, np.full((len(sentences),) * 2, -1.5, np.float32))


class CountingSolver(Solver):
    """A solver that counts its stories."""

    count = 0

    def solve_story(self, parse: Parse, tagging: Tagging) -> Solution:
        self.count += 1
        return super().solve_story(parse, tagging)


@pytest.fixture(scope="module")
def parser() -> CountingParser:
    return CountingParser()


@pytest.fixture
def solve(tmp_path: Path, parser: CountingParser) -> Callable[..., tuple[Solution, int]]:
    """Solves a story with rules by a cache that is opened anew; gives the solution and how many were solved."""

    def run(story: Sequence[str], rules: str | None = None) -> tuple[Solution, int]:
        overlays = []
        if rules is not None:
            overlays = [tmp_path / "mine.lp"]
            overlays[0].write_text(rules)
        cache = Cache(tmp_path / "cache")
        parse = parser.parse(story)
        solver = CountingSolver(load(overlays=overlays))
        found = CachedSolver(solver, cache).solve_story(parse, TAGGER.tag(story, parse.entities))
        cache.save()
        return found, solver.count

    return run


def test_a_story_is_parsed_once(tmp_path: Path, parser: CountingParser) -> None:
    parser.count = 0
    found = []
    for _ in range(2):
        cache = Cache(tmp_path)
        found.append(CachedParser(lambda: parser, cache).parse(STORY))
        cache.save()
    assert found[0] == found[1] == Parser().parse(STORY)
    assert parser.count == 1


def test_a_story_is_tagged_once_to_the_last_bit(tmp_path: Path) -> None:
    tagger = CountingTagger()
    found = []
    for _ in range(2):
        cache = Cache(tmp_path)
        found.append(CachedTagger(lambda: tagger, cache, "small").tag(STORY, ("Ann", "lamp")))
        cache.save()
    assert tagger.count == 1
    assert found[1].entities == ("Ann", "lamp")
    np.testing.assert_array_equal(found[0].probabilities, found[1].probabilities)
    np.testing.assert_array_equal(found[0].pair_scores, found[1].pair_scores)


def test_other_entities_are_tagged_anew(tmp_path: Path) -> None:
    tagger = CountingTagger()
    cached = CachedTagger(lambda: tagger, Cache(tmp_path), "small")
    cached.tag(STORY, ("Ann", "lamp"))
    cached.tag(STORY, ("lamp",))
    assert tagger.count == 2


def test_a_story_is_solved_once_with_the_same_proofs(solve: Callable[..., tuple[Solution, int]]) -> None:
    first, again = solve(STORY), solve(STORY)
    assert first[0] == again[0]
    assert first[0].conflicts
    assert (first[1], again[1]) == (1, 0)


RULE = """%!rule lamps_are_odd
%!trace_rule {{"the % of sentence % is odd in sentence %", E, S, T}}.
conflict(S,T,lamps_are_odd,E,power) :- mention(S,E), mention(T,E), S < T, E = "{thing}".
"""


def test_an_edited_rule_is_solved_again_only_where_it_can_fire(solve: Callable[..., tuple[Solution, int]]) -> None:
    def of_verb(verb: str) -> str:
        return RULE.format(thing="lamp").replace("mention(S,E)", f'verb(S,"{verb}"), mention(S,E)')

    assert solve(STORY, of_verb("light"))[1] == 1
    assert solve(STORY, of_verb("burn"))[1] == 0
    assert solve(STORY, of_verb("unplug"))[1] == 1
    assert solve(STORY, of_verb("read"))[1] == 1


def test_a_rule_that_fires_now_is_seen(solve: Callable[..., tuple[Solution, int]]) -> None:
    solve(STORY, RULE.format(thing="piano"))
    found, solved = solve(STORY, RULE.format(thing="lamp"))
    assert solved == 1
    assert "lamps_are_odd" in {conflict.rule for conflict in found.conflicts}


def test_a_rule_that_has_only_moved_is_told_at_its_new_line(solve: Callable[..., tuple[Solution, int]]) -> None:
    def line(solution: Solution) -> int | None:
        return next(c.proof.line for c in solution.conflicts if c.rule == "lamps_are_odd")

    first, _ = solve(STORY, RULE.format(thing="lamp"))
    moved, solved = solve(STORY, f"% A comment.\n\n{RULE.format(thing='lamp')}")
    assert solved == 0
    assert (line(first), line(moved)) == (3, 5)


def test_what_the_last_run_did_not_use_is_dropped(solve: Callable[..., tuple[Solution, int]]) -> None:
    solve(STORY)
    solve(OTHER)
    assert solve(STORY)[1] == 1


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"x\x9c"])
def test_a_damaged_file_is_made_again(
    tmp_path: Path, solve: Callable[..., tuple[Solution, int]], damage: bytes
) -> None:
    first, _ = solve(STORY)
    for file in (tmp_path / "cache").iterdir():
        file.write_bytes(damage)
    assert solve(STORY) == (first, 1)
    assert solve(STORY) == (first, 0)


def test_a_models_digest_is_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("1")
    first = files_digest(tmp_path)
    assert first == files_digest(tmp_path)
    (tmp_path / "a").write_text("2")
    assert files_digest(tmp_path) != first


def test_the_cache_is_where_caches_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "disproof"
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_folder() == Path.home() / ".cache" / "disproof"


def test_the_time_that_work_took_is_told_also_where_it_is_not_done_again(tmp_path: Path) -> None:
    medians = []
    for _ in range(2):
        cache = Cache(tmp_path)
        tagger = CachedTagger(CountingTagger, cache)
        tagger.tag(STORY, ("Ann", "lamp"))
        medians.append(tagger.clock.median())
        cache.save()
    assert medians[0] == medians[1]
    assert medians[0] is not None
    assert 0 < medians[0] < 5


def test_without_a_folder_nothing_outlives_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    cache = Cache()
    tagger = CountingTagger()
    cached = CachedTagger(lambda: tagger, cache)
    cached.tag(STORY, ("Ann",))
    cached.tag(STORY, ("Ann",))
    cache.save()
    assert tagger.count == 1
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DisproofError, match="cannot be the folder of the cache"):
        Cache(tmp_path / "file" / "cache")
