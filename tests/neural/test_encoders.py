"""Pretrained encoders by name or path."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import torch

from disproof.neural.encoders import Encoder, capacity, from_config, load_pretrained, locate
from disproof.symbolic.errors import ModelError


def copy(folder: Path, place: Path, without: str = "") -> Path:
    shutil.copytree(folder, place / "copy")
    if without:
        (place / "copy" / without).unlink()
    return place / "copy"


def test_a_folder_gives_the_network_its_width_and_its_tokens(encoder: Encoder) -> None:
    assert encoder.width == 16
    tokens = [encoder.tokenizer.id_to_token(i) for i in (encoder.special.start, encoder.special.end)]
    assert tokens == ["[CLS]", "[SEP]"]
    assert encoder.tokenizer.id_to_token(encoder.special.pad) == "[PAD]"
    assert len(encoder.tokenizer.encode("lamp " * 90, add_special_tokens=False).ids) == 90


def test_loading_says_nothing_on_the_terminal(tiny_encoder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    load_pretrained(str(tiny_encoder))
    assert capfd.readouterr() == ("", "")


def test_the_layer_that_nothing_reads_is_left_out(encoder: Encoder) -> None:
    assert not [name for name, _ in encoder.network.named_parameters() if "pooler" in name]


def test_a_configuration_as_plain_data_makes_the_same_network(encoder: Encoder) -> None:
    again = from_config(json.loads(json.dumps(encoder.config)))
    again.load_state_dict(encoder.network.state_dict())
    ids = torch.tensor([[2, 8, 9, 3]])
    with torch.inference_mode():
        first, second = (n.eval()(input_ids=ids).last_hidden_state for n in (encoder.network, again))
    assert torch.equal(first, second)


def test_some_positions_are_kept_for_the_encoders_own_tokens() -> None:
    assert capacity({"max_position_embeddings": 64}) == 60
    assert capacity({}) == 508


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors"])
def test_a_folder_that_lacks_a_file_is_told_in_one_line(missing: str, tiny_encoder: Path, tmp_path: Path) -> None:
    folder = copy(tiny_encoder, tmp_path, without=missing)
    with pytest.raises(ModelError, match="cannot load the encoder") as caught:
        load_pretrained(str(folder))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("config.json", b"{"),
        ("config.json", b"[]"),
        ("config.json", b'{"model_type": "no such thing"}'),
        ("model.safetensors", b"\x08"),
        ("tokenizer.json", b"{}"),
    ],
)
def test_a_damaged_file_is_told_in_one_line(file: str, content: bytes, tiny_encoder: Path, tmp_path: Path) -> None:
    folder = copy(tiny_encoder, tmp_path)
    (folder / file).write_bytes(content)
    with pytest.raises(ModelError, match="cannot load the encoder") as caught:
        load_pretrained(str(folder))
    assert "\n" not in str(caught.value)


def test_a_folder_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="give a folder or a hub name"):
        load_pretrained(str(tmp_path / "none"))


def test_a_tokenizer_without_a_padding_token_is_refused(tiny_encoder: Path, tmp_path: Path) -> None:
    folder = copy(tiny_encoder, tmp_path)
    settings = json.loads((folder / "tokenizer_config.json").read_text())
    settings["pad_token"] = None
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    with pytest.raises(ModelError, match="lacks a start, end or padding token"):
        load_pretrained(str(folder))


def test_a_name_stands_for_the_packaged_encoder_only_if_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert locate("roberta-large") == "roberta-large"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"pip install 'disproof\[train\]'"):
        locate("minilm")
