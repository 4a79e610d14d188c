"""Choosing between solutions: the adapter, its training, and what it is loaded over."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch.nn import functional

from disproof.bridge.piqa_data import PiqaItem
from disproof.neural.adapter import adapted
from disproof.neural.choice import ChoiceConfig, Chooser, encode_item, encode_solution, mark_changed, pad_inputs
from disproof.neural.choice_training import ChoiceTraining, adaptable, exported, lead_back, train_chooser
from disproof.neural.encoders import Encoder, from_config
from disproof.neural.inference import InferenceEncoder
from disproof.neural.model import ModelConfig, TaggerNetwork
from disproof.neural.tagger import Tagger
from disproof.symbolic.errors import ModelError, StoryError

# Solutions with a lamp are right, whatever the goal.
WORDS = "the sofa in the cup on the table of tom".split()
ITEMS = [
    PiqaItem(k, f"the {WORDS[k % 10]}", tuple(f"{WORDS[k % 7]} {w}" for w in both), both.index("lamp"))  # type: ignore[arg-type]
    for k in range(40)
    for both in [("lamp", "fan") if k % 3 else ("fan", "lamp")]
]
CONFIG = ChoiceTraining(
    epochs=16,
    items_per_batch=4,
    learning_rate=0.01,
    head_learning_rate=0.01,
    begin="tagger",
    network=ChoiceConfig(frozen=0.5, rank=4, alpha=8),
)


@pytest.fixture(scope="module")
def model(encoder: Encoder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tagger of two layers, of which the lower one is left alone."""
    folder: Path = tmp_path_factory.mktemp("choice") / "model"
    about = {**encoder.config, "num_hidden_layers": 2}
    with torch.random.fork_rng():
        torch.manual_seed(5)
        network = TaggerNetwork(from_config(about), encoder.width, ModelConfig(state_hidden=8, pair_hidden=8))
        for parameter in network.parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.3)
    config = {"encoder": "tiny", "width": encoder.width, "encoder_config": about}
    Tagger(network, encoder.tokenizer, encoder.special, config).save(folder)
    return folder


@pytest.fixture(scope="module")
def trained(model: Path) -> tuple[Path, dict[str, Any]]:
    folder = model.parent / "trained"
    return folder, train_chooser(ITEMS, ITEMS[:9], model, CONFIG, folder)


def stopping(at: int) -> Callable[[int, int, dict[str, float]], None]:
    def progress(step: int, steps: int, losses: dict[str, float]) -> None:
        if step == at and steps == 160:
            raise KeyboardInterrupt

    return progress


def preferred(folder: Path, model: Path, items: Sequence[PiqaItem] = ITEMS) -> list[int]:
    chooser = Chooser.load(folder, Tagger.load(model))
    return [int(chooser.prefer(item.goal, item.solutions) < 0) for item in items]


def test_an_adapter_adds_its_product_and_shares_what_it_is_added_to(model: Path) -> None:
    encoder = Tagger.load(model).network.encoder
    assert isinstance(encoder, InferenceEncoder)
    name = "encoder.layer.0.intermediate.dense"
    torch.manual_seed(0)
    down, up = torch.randn(3, 16), torch.randn(32, 3)
    copied = adapted(encoder, {f"{name}.down": down, f"{name}.up": up})
    vectors = torch.randn(2, 5, 16)
    plain, found = (one.get_submodule(name)(vectors) for one in (encoder, copied))
    assert torch.allclose(found - plain, functional.linear(vectors, up @ down), atol=1e-4)
    word = "embeddings.word_embeddings.weight"
    assert encoder.get_submodule(word).values.data_ptr() == copied.get_submodule(word).values.data_ptr()  # type: ignore[operator]


def test_it_learns_and_the_loaded_one_chooses_as_it_learned(trained: tuple[Path, dict[str, Any]], model: Path) -> None:
    folder, told = trained
    losses = [epoch["loss"] for epoch in told["history"]]
    assert losses[-1] < 0.3 < losses[0]
    assert told["history"][-1]["accuracy"] == 1.0
    assert preferred(folder, model) == [item.label for item in ITEMS]
    swapped = [replace(item, solutions=item.solutions[::-1]) for item in ITEMS]
    assert preferred(folder, model, swapped) == [1 - (item.label or 0) for item in ITEMS]


def test_a_stopped_run_goes_on_to_the_same_weights(trained: tuple[Path, dict[str, Any]], model: Path) -> None:
    folder = model.parent / "stopped"
    with pytest.raises(KeyboardInterrupt):
        train_chooser(ITEMS, ITEMS[:9], model, CONFIG, folder, stopping(15))
    assert not (folder / "config.json").exists()
    train_chooser(ITEMS, ITEMS[:9], model, CONFIG, folder)
    assert (folder / "adapter.safetensors").read_bytes() == (trained[0] / "adapter.safetensors").read_bytes()


def test_a_run_of_other_settings_or_data_is_not_gone_on_with(trained: tuple[Path, dict[str, Any]], model: Path) -> None:
    folder, _ = trained
    for items, config in ((ITEMS[:-1], CONFIG), (ITEMS, replace(CONFIG, seed=3))):
        with pytest.raises(StoryError, match="other settings or data"):
            train_chooser(items, [], model, config, folder)


def test_an_item_without_a_label_is_refused(model: Path, tmp_path: Path) -> None:
    with pytest.raises(StoryError, match="item 1 has no label"):
        train_chooser([ITEMS[0], replace(ITEMS[1], label=None)], [], model, CONFIG, tmp_path)


def test_only_the_upper_layers_have_an_adapter(trained: tuple[Path, dict[str, Any]]) -> None:
    names = load_file(trained[0] / "adapter.safetensors")
    assert {name.split(".")[2] for name in names if not name.startswith("head.")} == {"1"}
    assert sum(name.endswith(".down") for name in names) == 6


@pytest.mark.parametrize(("rank", "left"), [(64, 1e-5), (6, 0.8), (2, 0.95)])
def test_an_adapter_begins_as_near_the_pretrained_encoder_as_its_rank_allows(
    model: Path, rank: int, left: float
) -> None:
    config = ChoiceConfig(rank=rank, alpha=2 * rank)
    tagger = Tagger.load(model)
    network, layers = adaptable(tagger, model, config)
    torch.manual_seed(1)
    pretrained = from_config(tagger.config["encoder_config"])
    lead_back(layers, pretrained, config)
    added = exported(layers, config)
    assert len(layers) == 12
    for name in layers:
        before = network.get_submodule(name).get_submodule("base_layer").get_parameter("weight").float()
        wanted = pretrained.get_submodule(name).get_parameter("weight") - before
        missing = (wanted - added[name + ".up"] @ added[name + ".down"]).norm() / wanted.norm()
        assert missing < left
        assert rank == 64 or missing > left / 4


def test_an_adapter_cannot_begin_at_an_encoder_of_another_kind(model: Path) -> None:
    config = ChoiceConfig(rank=2)
    tagger = Tagger.load(model)
    _, layers = adaptable(tagger, model, config)
    with pytest.raises(ModelError, match="not of the kind that it names"):
        lead_back(layers, from_config({**tagger.config["encoder_config"], "num_hidden_layers": 1}), config)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda f: (f / "config.json").unlink(), "cannot choose between solutions yet"),
        (lambda f: (f / "config.json").write_text("{"), "missing or damaged"),
        (lambda f: (f / "adapter.safetensors").write_bytes(b"cut"), "missing or damaged"),
        (lambda f: (f / "config.json").write_text('{"format": 9, "network": {}}'), "no adapter of format 1"),
        (lambda f: (f / "config.json").write_text("{}"), "of another model"),
        (lambda f: (f / "config.json").write_text('{"format": 1, "network": {"depth": 2}}'), "of another model"),
    ],
)
def test_a_damaged_folder_is_refused(
    spoil: Callable[[Path], object], said: str, trained: tuple[Path, dict[str, Any]], model: Path, tmp_path: Path
) -> None:
    for file in ("config.json", "adapter.safetensors"):
        (tmp_path / file).write_bytes((trained[0] / file).read_bytes())
    spoil(tmp_path)
    with pytest.raises(ModelError, match=said):
        Chooser.load(tmp_path, Tagger.load(model))


def test_what_is_too_long_loses_its_end_and_the_goal_keeps_half(tagger: Tagger) -> None:
    config = ChoiceConfig(tokens=13)
    goal, solution = "lamp " * 20, "cup " * 20
    ids = encode_solution(tagger.tokenizer, tagger.special, goal, solution, config)
    lamp, cup = (tagger.tokenizer.token_to_id(word) for word in ("lamp", "cup"))
    assert ids == (tagger.special.start, *[lamp] * 5, tagger.special.end, *[cup] * 5, tagger.special.end)
    alone = encode_solution(tagger.tokenizer, tagger.special, goal, solution, replace(config, answer_only=True))
    assert alone == (tagger.special.start, *[cup] * 10, tagger.special.end)
    padded, attention = pad_inputs([ids, ids[:3]], tagger.special.pad)
    assert padded.shape == (2, 13)
    assert attention.sum(1).tolist() == [13, 3]


def test_the_tokens_in_which_solutions_differ_are_marked(tagger: Tagger) -> None:
    config = ChoiceConfig()
    words = ["lamp", "cup", "the"]
    first, second = encode_item(tagger.tokenizer, tagger.special, "lamp", ("lamp cup", "lamp the cup"), config)
    lamp, cup, the = (tagger.tokenizer.token_to_id(word) for word in words)
    assert second.ids == (tagger.special.start, lamp, tagger.special.end, lamp, the, cup, tagger.special.end)
    assert second.changed == (4,)
    assert first.changed == (3, 4)  # what stands beside the gap
    assert mark_changed([first.changed, second.changed], 7).tolist() == [[0, 0, 0, 1, 1, 0, 0], [0, 0, 0, 0, 1, 0, 0]]
    same, _ = encode_item(tagger.tokenizer, tagger.special, "lamp", ("cup", "cup"), config)
    assert same.changed == ()


def test_the_settings_of_a_run_are_kept(trained: tuple[Path, dict[str, Any]]) -> None:
    about = json.loads((trained[0] / "config.json").read_text())
    assert about["network"]["rank"] == 4
    assert len(about["history"]) == 16
