"""Checkpoints of training."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from disproof.neural import checkpoint
from disproof.symbolic.errors import ModelError


class Run:
    """A small network in training, with dropout so that the random state matters."""

    def __init__(self, width: int = 3) -> None:
        torch.manual_seed(0)
        self.network = nn.Sequential(nn.Linear(4, width), nn.Dropout(0.5), nn.Linear(width, 1))
        groups = [{"params": [p], "lr": 0.01 * (k + 1)} for k, p in enumerate(self.network.parameters())]
        self.optimizer = torch.optim.AdamW(groups, fused=True)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimizer, lambda step: 1 / (1 + step))

    def step(self, times: int = 1) -> None:
        for _ in range(times):
            self.optimizer.zero_grad()
            self.network(torch.randn(8, 4)).square().sum().backward()
            self.optimizer.step()
            self.scheduler.step()

    def save(self, folder: Path, **progress: Any) -> None:
        checkpoint.save(folder, self.network, self.optimizer, self.scheduler, progress)

    def restore(self, folder: Path) -> dict[str, Any]:
        return checkpoint.restore(folder, self.network, self.optimizer, self.scheduler)

    def same(self, other: Run) -> bool:
        ours, theirs = self.network.state_dict(), other.network.state_dict()
        return all(torch.equal(ours[name], theirs[name]) for name in ours)


def test_a_restored_run_goes_on_bit_for_bit(tmp_path: Path) -> None:
    through = Run()
    through.step(3)
    through.save(tmp_path / "c", epoch=3)
    through.step(4)
    resumed = Run()
    torch.manual_seed(99)
    assert resumed.restore(tmp_path / "c")["epoch"] == 3
    resumed.step(4)
    assert resumed.same(through)
    assert resumed.scheduler.get_last_lr() == through.scheduler.get_last_lr()


@pytest.mark.parametrize("renames", range(3))
def test_a_kill_before_any_of_the_renames_leaves_a_checkpoint(
    renames: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "c"
    run = Run()
    run.step()
    run.save(folder, epoch=1)
    run.step()
    left = renames

    def replace(source: Path, target: Path) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        source.rename(target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        with pytest.raises(KeyboardInterrupt):
            run.save(folder, epoch=2)
    assert checkpoint.exists(folder)
    # Between the last two the old one is away and the new one is whole.
    assert Run().restore(folder)["epoch"] == (2 if renames == 2 else 1)
    run.save(folder, epoch=3)
    assert Run().restore(folder)["epoch"] == 3
    assert [p.name for p in tmp_path.iterdir()] == ["c"]


def test_a_kill_within_the_first_checkpoint_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", stop)
        with pytest.raises(KeyboardInterrupt):
            Run().save(tmp_path / "c")
    assert not checkpoint.exists(tmp_path / "c")


def test_the_old_checkpoint_is_used_where_the_new_one_is_lost(tmp_path: Path) -> None:
    Run().save(tmp_path / "c", epoch=1)
    shutil.move(tmp_path / "c", tmp_path / "c.old")
    assert checkpoint.exists(tmp_path / "c")
    assert checkpoint.peek(tmp_path / "c")["epoch"] == 1


def test_the_progress_can_be_read_without_the_network(tmp_path: Path) -> None:
    Run().save(tmp_path / "c", history=[{"loss": 0.1}])
    assert checkpoint.peek(tmp_path / "c")["history"] == [{"loss": 0.1}]


def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path) -> None:
    Run(3).save(tmp_path / "c")
    with pytest.raises(ModelError, match="cannot resume") as caught:
        Run(5).restore(tmp_path / "c")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("file", ["state.json", "network.safetensors", "optimizer.safetensors"])
@pytest.mark.parametrize("content", [b"", b"{}"])
def test_a_damaged_checkpoint_says_to_delete_it(file: str, content: bytes, tmp_path: Path) -> None:
    Run().save(tmp_path / "c")
    (tmp_path / "c" / file).write_bytes(content)
    with pytest.raises(ModelError, match="delete the folder to start again") as caught:
        Run().restore(tmp_path / "c")
    assert "\n" not in str(caught.value)
