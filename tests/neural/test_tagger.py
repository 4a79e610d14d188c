"""The tagger in use."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from disproof.neural import tagger as tagger_module
from disproof.neural.encoding import collate, encode_story
from disproof.neural.tagger import Tagger, model_folder
from disproof.symbolic.errors import ModelError
from disproof.symbolic.story import Tagging

STORY = ("Maria sat on the sofa.", "Tom used the lamp.", "Maria turned on the lamp.")
ENTITIES = ("Maria", "lamp", "Tom", "ghost")


def check(tagging: Tagging, entities: int, sentences: int) -> None:
    """What holds of every tagging."""
    assert tagging.probabilities.shape[:2] == (entities, sentences)
    if tagging.probabilities.size:
        np.testing.assert_allclose(tagging.probabilities.sum(-1), 1, atol=1e-5)
    scores = tagging.pair_scores
    assert scores is not None
    assert np.array_equal(np.isfinite(scores), np.triu(np.ones((sentences, sentences), bool), 1))
    assert not np.isnan(scores).any()


def test_every_state_has_a_distribution_and_every_pair_a_score(tagger: Tagger) -> None:
    check(tagger.tag(STORY, ENTITIES), 4, 3)


def test_a_short_story_is_read_at_once(tagger: Tagger) -> None:
    encoded = encode_story(tagger.tokenizer, tagger.special, STORY, ENTITIES)
    with torch.inference_mode():
        output = tagger.network(collate([encoded], tagger.special.pad))
    tagging = tagger.tag(STORY, ENTITIES)
    np.testing.assert_allclose(tagging.probabilities, output.state_logits.softmax(-1)[0], atol=1e-6)
    assert tagging.pair_scores is not None
    np.testing.assert_allclose(tagging.pair_scores, output.pair_scores[0], rtol=1e-5)


def test_the_number_of_threads_changes_no_bit_and_is_left_as_it_was(tagger: Tagger) -> None:
    before = torch.get_num_threads()
    try:
        found = []
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            found.append(tagger.tag(STORY * 5, ENTITIES))
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)
    assert len({t.probabilities.tobytes() for t in found}) == 1
    assert len({t.pair_scores.tobytes() for t in found if t.pair_scores is not None}) == 1


def test_callers_in_several_threads_get_what_one_gets(tagger: Tagger) -> None:
    stories = [STORY[:k] * 4 for k in (1, 2, 3)] * 3
    alone = [tagger.tag(s, ENTITIES).probabilities.tobytes() for s in stories]
    found: dict[int, bytes] = {}
    before = torch.get_num_threads()

    def work(k: int) -> None:
        found[k] = tagger.tag(stories[k], ENTITIES).probabilities.tobytes()

    workers = [threading.Thread(target=work, args=(k,)) for k in range(len(stories))]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [found[k] for k in range(len(stories))] == alone
    assert torch.get_num_threads() == before


def test_a_story_of_300_sentences_has_the_states_of_all(tagger: Tagger) -> None:
    sentences = [STORY[k % 3] if k % 7 else f"Ann has {k} cups." for k in range(300)]
    tagging = tagger.tag(sentences, (*ENTITIES, "cup"))
    check(tagging, 5, 300)
    # Not one row was left as it is made.
    assert tagging.probabilities[..., 0].min() > 0


def test_pairs_too_far_apart_to_be_read_together_count_least(tagger: Tagger) -> None:
    scores = tagger.tag(STORY * 20, ENTITIES).pair_scores
    assert scores is not None
    assert scores[0, 59] == scores[np.isfinite(scores)].min()
    assert scores[0, 1] > scores[0, 59]


def test_windows_follow_each_other_and_share_sentences(tagger: Tagger) -> None:
    sentences = STORY * 20
    windows = tagger._windows(sentences)
    assert [start for _, start, _ in windows] == [0, *(end for _, _, end in windows[:-1])]
    assert windows[-1][2] == len(sentences)
    assert len(windows) > 3
    for begin, start, end in windows:
        assert begin == max(0, start - 2)
        encoded = encode_story(tagger.tokenizer, tagger.special, sentences[begin:end], ENTITIES)
        assert len(encoded.ids) <= 64


def test_a_sentence_longer_than_the_encoder_reads_is_cut(tagger: Tagger) -> None:
    long = "Maria used the phone and " * 400
    assert len(long) == 10_000
    tagging = tagger.tag([STORY[0], long, STORY[2]], ENTITIES)
    check(tagging, 4, 3)
    cut = tagger.tag([STORY[0], long + "Tom sat.", STORY[2]], ENTITIES)
    assert np.array_equal(tagging.probabilities, cut.probabilities)


def test_a_story_without_entities_still_scores_its_pairs(tagger: Tagger) -> None:
    tagging = tagger.tag(STORY, ())
    check(tagging, 0, 3)
    assert tagging.pair_scores is not None
    assert np.abs(tagging.pair_scores[np.isfinite(tagging.pair_scores)]).max() < 1000


@pytest.mark.parametrize("sentences", [(), ("Maria sat.",), ("",), ("", "", ""), ("...", "\n")])
def test_stories_with_next_to_nothing_in_them_are_tagged(sentences: tuple[str, ...], tagger: Tagger) -> None:
    tagging = tagger.tag(sentences, ENTITIES)
    assert tagging.probabilities.shape[:2] == (4, len(sentences))
    if sentences:
        check(tagging, 4, len(sentences))


def test_quotes_newlines_and_other_scripts_in_names_do_no_harm(tagger: Tagger) -> None:
    names = ('the "lamp"', "two\nlines", "'", "", "лампа", "ламп\u0301а", "lamp", "\u202e", "lamp")
    tagging = tagger.tag(['Tom used "the lamp".', "two\nlines лампа", "\x00 lamp"], names)
    check(tagging, len(names), 3)
    assert tagging.entities == names


def test_the_same_story_gives_the_same_bytes(make_tagger: Callable[[], Tagger]) -> None:
    first, second = (make_tagger().tag(STORY, ENTITIES) for _ in range(2))
    assert first.probabilities.tobytes() == second.probabilities.tobytes()


def test_a_saved_tagger_comes_back_with_all_that_it_needs(tagger: Tagger, tmp_path: Path) -> None:
    tagger.save(tmp_path / "model", {"metrics.json": "{}"})
    again = Tagger.load(tmp_path / "model")
    assert repr(again) == repr(tagger)
    assert (tmp_path / "model" / "metrics.json").read_text() == "{}"
    expected, found = (t.tag(STORY, ENTITIES).probabilities for t in (tagger, again))
    assert np.abs(expected - found).max() < 0.1  # 8 bits a weight
    again.save(tmp_path / "again")
    np.testing.assert_allclose(Tagger.load(tmp_path / "again").tag(STORY, ENTITIES).probabilities, found, atol=1e-5)


def spoil_config(folder: Path, **changes: object) -> None:
    config = json.loads((folder / "config.json").read_text())
    config.update(changes)
    (folder / "config.json").write_text(json.dumps({k: v for k, v in config.items() if v is not None}))


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda f: (f / "tokenizer.json").unlink(), "do not fit together"),
        (lambda f: (f / "tokenizer.json").write_text("{}"), "do not fit together"),
        (lambda f: (f / "weights-00.safetensors").unlink(), "missing or damaged"),
        (lambda f: spoil_config(f, width=None), "config lacks 'width'"),
        (lambda f: spoil_config(f, shards=None), "config lacks 'shards'"),
        (lambda f: spoil_config(f, shards=0), "Missing key"),
        (lambda f: spoil_config(f, width=8), "do not fit together"),
        (lambda f: spoil_config(f, encoder_config={}), "config lacks 'model_type'"),
        (lambda f: spoil_config(f, encoder_config={"model_type": "no such thing"}), "do not fit together"),
        (lambda f: spoil_config(f, network={"layers": 3}), "do not fit together"),
        (lambda f: spoil_config(f, special_tokens=[]), "do not fit together"),
        (lambda f: spoil_config(f, format=2), "not a model of format 1"),
        (lambda f: shutil.rmtree(f), "no model here"),
    ],
)
def test_a_damaged_model_is_told_in_one_line(
    spoil: Callable[[Path], object], said: str, tagger: Tagger, tmp_path: Path
) -> None:
    tagger.save(tmp_path / "model")
    spoil(tmp_path / "model")
    with pytest.raises(ModelError, match=said) as caught:
        Tagger.load(tmp_path / "model")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_model_goes_by_name_or_by_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tagger_module, "MODELS", tmp_path)
    (tmp_path / "small").mkdir()
    assert model_folder("small") == tmp_path / "small"
    assert model_folder(str(tmp_path)) == tmp_path
    with pytest.raises(ModelError, match="shipped: small"):
        model_folder("large")
