"""Trained taggers on disk."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from disproof.neural import weights
from disproof.symbolic.errors import ModelError


@pytest.fixture
def matrices() -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(0)
    return {
        "wide": torch.randn(7, 300, generator=generator) * torch.logspace(-6, 3, 7)[:, None],
        "zero rows": torch.zeros(3, 4),
        "one row": torch.randn(1, 9, generator=generator),
        "vector": torch.randn(5, generator=generator),
        "layer.scale": torch.randn(2, 3, generator=generator),
    }


def test_a_matrix_comes_back_within_half_a_step_of_its_rows_scale(matrices: dict[str, torch.Tensor]) -> None:
    back = weights.dequantise(weights.quantise(matrices))
    for name in ("wide", "zero rows", "layer.scale"):
        half = matrices[name].abs().amax(1, keepdim=True) / 127 / 2
        assert ((back[name] - matrices[name]).abs() <= half * 1.001).all(), name
    assert back["wide"].dtype == torch.float32


def test_the_largest_number_of_a_row_comes_back_as_it_was(matrices: dict[str, torch.Tensor]) -> None:
    back = weights.dequantise(weights.quantise(matrices))["wide"]
    torch.testing.assert_close(back.abs().amax(1), matrices["wide"].abs().amax(1))


def test_vectors_and_single_rows_are_kept_whole(matrices: dict[str, torch.Tensor]) -> None:
    back = weights.dequantise(weights.quantise(matrices))
    assert torch.equal(back["vector"], matrices["vector"])
    assert torch.equal(back["one row"], matrices["one row"])
    assert back.keys() == matrices.keys()


def test_rounding_what_is_rounded_changes_nothing(matrices: dict[str, torch.Tensor]) -> None:
    once = weights.dequantise(weights.quantise(matrices))
    twice = weights.dequantise(weights.quantise(once))
    for name in matrices:
        torch.testing.assert_close(twice[name], once[name], rtol=1e-6, atol=0)


def saved(folder: Path, matrices: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(weights, "SHARD_BYTES", 1000)
    weights.save(folder, matrices, {"name": "tiny"}, {"note.txt": "übermäßig"})
    return folder


def test_a_model_comes_back_from_its_shards(
    tmp_path: Path, matrices: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = saved(tmp_path / "model", matrices, monkeypatch)
    config = weights.load_config(folder)
    assert (config["shards"], config["name"]) == (2, "tiny")
    assert sorted(p.name for p in folder.iterdir()) == [
        "config.json",
        "note.txt",
        "weights-00.safetensors",
        "weights-01.safetensors",
    ]
    back = weights.load(folder, config)
    expected = weights.dequantise(weights.quantise(matrices))
    assert back.keys() == expected.keys()
    assert all(torch.equal(back[name], expected[name]) for name in back)
    assert (folder / "note.txt").read_text("utf-8") == "übermäßig"


def test_no_shard_is_larger_than_it_may_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "SHARD_BYTES", 1000)
    weights.save(tmp_path / "m", {str(k): torch.ones(3, 200) for k in range(5)}, {}, {})
    sizes = [p.stat().st_size for p in (tmp_path / "m").glob("*.safetensors")]
    assert len(sizes) == 5
    assert max(sizes) < 1000 + 300  # the header


def test_the_same_weights_are_the_same_bytes(tmp_path: Path, matrices: dict[str, torch.Tensor]) -> None:
    for name in "ab":
        weights.save(tmp_path / name, matrices, {"name": "x"}, {})
    first, second = ({p.name: p.read_bytes() for p in (tmp_path / name).iterdir()} for name in "ab")
    assert first == second


def test_a_save_that_stops_anywhere_leaves_no_half_model(
    tmp_path: Path, matrices: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = saved(tmp_path / "model", matrices, monkeypatch)
    done = 0

    def counted(real: Any, at: int) -> Any:
        def run(*arguments: Any) -> Any:
            nonlocal done
            done += 1
            if done > at:
                raise KeyboardInterrupt
            return real(*arguments)

        return run

    for at in range(3):  # two shards, then the rename
        done = 0
        with monkeypatch.context() as patch:
            patch.setattr(weights, "save_file", counted(save_file, at))
            patch.setattr(os, "replace", counted(os.replace, at))
            with pytest.raises(KeyboardInterrupt):
                weights.save(folder, matrices, {}, {})
        with pytest.raises(ModelError, match=r"config\.json is missing"):
            weights.load_config(folder)
    weights.save(folder, matrices, {}, {})
    assert weights.load(folder, weights.load_config(folder)).keys() == matrices.keys()


def test_saving_leaves_other_files_of_the_folder_and_no_shard_of_an_older_model(
    tmp_path: Path, matrices: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fold-0").mkdir()
    (tmp_path / "fold-0" / "heldout.safetensors").write_bytes(b"kept")
    saved(tmp_path, matrices, monkeypatch)
    weights.save(tmp_path, {"vector": torch.ones(2)}, {}, {})
    assert [p.name for p in sorted(tmp_path.glob("weights-*"))] == ["weights-00.safetensors"]
    assert (tmp_path / "fold-0" / "heldout.safetensors").read_bytes() == b"kept"


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "folder"])
def test_a_damaged_shard_is_named_in_one_line(
    damage: str, tmp_path: Path, matrices: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = saved(tmp_path / "model", matrices, monkeypatch)
    shard = folder / "weights-01.safetensors"
    whole = shard.read_bytes()
    shard.unlink()
    if damage == "folder":
        shard.mkdir()
    elif damage != "missing":
        shard.write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"")
    with pytest.raises(ModelError, match=r"weights-01\.safetensors: missing or damaged") as caught:
        weights.load(folder, weights.load_config(folder))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"{}", b'{"format": 99}', b"\xff"])
def test_a_damaged_config_is_told_in_one_line(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"config\.json: ") as caught:
        weights.load_config(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_config_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text(json.dumps({}))
    with pytest.raises(ModelError, match="no model here"):
        weights.load_config(tmp_path)
