"""Training a chooser between solutions: an adapter on a finished tagger's encoder, reproducible and resumable.

The encoder's own weights are those that ship (rounded to 8 bits) and stay as they are, so that one encoder serves both
jobs. peft puts the low-rank layers in. A tagger's encoder has unlearned some of what solutions need, so the adapter
begins where it leads back to the pretrained encoder, as near as its rank allows: the best such step is the truncated
singular value decomposition of what fine-tuning changed (Eckart and Young, 1936).
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

import torch
from torch import nn

from ..symbolic.errors import ModelError, StoryError
from . import checkpoint, encoders
from . import weights as weights_io
from .adapter import DOWN, UP
from .choice import ChoiceConfig, ChoiceHead, ChoiceInput, encode_item, is_whole, mark_changed, pad_inputs, save_chooser
from .tagger import Tagger
from .training import Progress, linear_rate, require_same

Begin = Literal["pretrained", "tagger"]

_ENCODER = "encoder."
_LAYERS = "encoder.layer"
_AT_ONCE = 64
# Batches are made of items of like length within so many of them.
_POOL = 16


class Item(Protocol):
    """A goal and two solutions; ``label`` is the right one's index."""

    @property
    def goal(self) -> str: ...  # noqa: D102
    @property
    def solutions(self) -> tuple[str, str]: ...  # noqa: D102
    @property
    def label(self) -> int | None: ...  # noqa: D102


@dataclass(frozen=True)
class ChoiceTraining:
    """Settings of one run.

    ``begin`` says where the adapter starts from: the "pretrained" encoder, or the "tagger" as it is.
    """

    epochs: int = 4
    items_per_batch: int = 16
    learning_rate: float = 3e-4
    head_learning_rate: float = 1e-3
    warmup: float = 0.06
    weight_decay: float = 0.01
    clip: float = 1.0
    seed: int = 0
    begin: Begin = "pretrained"
    network: ChoiceConfig = field(default_factory=ChoiceConfig)


@dataclass(frozen=True, eq=False)
class _Example:
    """Both inputs of an item as the frozen layers leave them: (tokens, width) each, of bfloat16."""

    hidden: tuple[torch.Tensor, torch.Tensor]
    changed: tuple[tuple[int, ...], tuple[int, ...]]
    label: int

    @property
    def length(self) -> int:
        """Tokens of the longer one."""
        return max(len(one) for one in self.hidden)


class _Given(nn.Module):
    """In place of an encoder's embeddings: what the frozen layers made of them before."""

    hidden: torch.Tensor

    def forward(self, *_: Any, **__: Any) -> torch.Tensor:
        """The hidden states that were put here."""
        return self.hidden


def train_chooser(
    items: Sequence[Item],
    held_out: Sequence[Item],
    model: Path,
    config: ChoiceTraining,
    folder: Path,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Train on labelled items over the encoder of the model folder ``model``, and write adapter and head to ``folder``.

    Each epoch leaves a checkpoint in ``folder``, from which a stopped run goes on. The accuracy on ``held_out`` is
    measured after each epoch and chooses nothing. Returns the history, which is also in ``metrics.json``.

    Raises:
        StoryError: an item has no label, or ``folder`` holds a run with other settings or data.
        ModelError: the model is missing or damaged, or the encoder that it was made from cannot be loaded.
    """
    described = {**json.loads(json.dumps(asdict(config))), "items": len(items), "encoder": checkpoint.digest(model)}
    data = _fingerprint(items)
    saved = folder / "checkpoint"
    if checkpoint.exists(saved):
        state = checkpoint.peek(saved)
        require_same(saved, state, described, data)
        if len(state["history"]) == config.epochs and is_whole(folder):
            return {"history": state["history"]}
    torch.manual_seed(config.seed)
    tagger = Tagger.load(model)
    encoder, layers = adaptable(tagger, model, config.network)
    if config.begin == "pretrained":
        lead_back(layers, encoders.load_pretrained(str(tagger.config["encoder"])).network, config.network)
    head = ChoiceHead(int(tagger.config["width"]), config.network.dropout)
    learned = nn.ModuleList([layer.get_submodule(part) for layer in layers.values() for part in ("lora_A", "lora_B")])
    trainable = nn.ModuleList([learned, head])
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    encoder.to(device)
    trainable.to(device)
    stack: Any = encoder.get_submodule(_LAYERS)
    frozen = round(config.network.frozen * len(stack))
    outer: Any = encoder.get_submodule(_LAYERS.rpartition(".")[0])
    outer.layer = stack[:frozen]
    examples = _examples(items, encoder, tagger, config.network, progress)
    held = _examples(held_out, encoder, tagger, config.network)
    given: Any = _Given()
    encoder.embeddings = given
    outer.layer = stack[frozen:]
    optimizer = torch.optim.AdamW(
        [
            {"params": list(learned.parameters()), "lr": config.learning_rate},
            {"params": list(head.parameters()), "lr": config.head_learning_rate},
        ],
        weight_decay=config.weight_decay,
        fused=True,
    )
    steps = config.epochs * -(-len(examples) // config.items_per_batch)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: linear_rate(step, steps, config.warmup))
    history: list[dict[str, float]] = []
    if checkpoint.exists(saved):
        history = checkpoint.restore(saved, trainable, optimizer, scheduler)["history"]

    def scores(batch: Sequence[_Example]) -> torch.Tensor:
        inputs = [one for example in batch for one in example.hidden]
        given.hidden = nn.utils.rnn.pad_sequence(inputs, batch_first=True).to(device)
        lengths = torch.tensor([len(one) for one in inputs], device=device)
        attention = (torch.arange(given.hidden.shape[1], device=device) < lengths[:, None]).long()
        with torch.autocast(device.type, dtype=torch.bfloat16):
            hidden = encoder(input_ids=attention, attention_mask=attention).last_hidden_state  # ids: for their shape
        changed = mark_changed([places for example in batch for places in example.changed], hidden.shape[1])
        scored: torch.Tensor = head(hidden.float(), changed.to(device)).reshape(len(batch), 2)
        return scored

    for epoch in range(len(history), config.epochs):
        started = time.perf_counter()
        encoder.train()
        head.train()
        total = 0.0
        batches = _batches(examples, config.items_per_batch, random.Random(f"{config.seed}/{epoch}"))
        for number, batch in enumerate(batches):
            loss = nn.functional.cross_entropy(scores(batch), torch.tensor([e.label for e in batch], device=device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(trainable.parameters(), config.clip)
            optimizer.step()
            scheduler.step()
            now = float(loss.detach())
            total += now * len(batch) / len(examples)
            if progress is not None:
                progress(epoch * len(batches) + number + 1, config.epochs * len(batches), {"total": now})
        encoder.eval()
        head.eval()
        right = 0
        with torch.inference_mode():
            for batch in _batches(held, 4 * config.items_per_batch, random.Random(0)):
                right += sum(int(row.argmax()) == e.label for row, e in zip(scores(batch), batch, strict=True))
        seconds = round(time.perf_counter() - started, 1)
        history.append({"loss": total, "accuracy": right / max(1, len(held)), "seconds": seconds})
        state = {"training": described, "data": data, "history": history}
        checkpoint.save(saved, trainable, optimizer, scheduler, state)
    settings = {"network": asdict(config.network), "training": described, "data": data, "history": history}
    save_chooser(folder, exported(layers, config.network), head, settings)
    return {"history": history}


def adaptable(tagger: Tagger, model: Path, config: ChoiceConfig) -> tuple[nn.Module, dict[str, nn.Module]]:
    """The tagger's encoder with low-rank layers beside the linear ones of its upper layers, and these by their names.

    Only the low-rank layers learn; they begin as if they were not there.

    Raises:
        ModelError: peft is missing.
    """
    try:
        from peft import LoraConfig, inject_adapter_in_model
    except ImportError as error:
        raise ModelError("peft is not installed; run: pip install 'disproof[train]'") from error

    encoder = encoders.from_config(tagger.config["encoder_config"])
    stored = weights_io.load(model, tagger.config)
    encoder.load_state_dict({k.removeprefix(_ENCODER): v for k, v in stored.items() if k.startswith(_ENCODER)})
    layers = encoder.get_submodule(_LAYERS)
    above = {f"{_LAYERS}.{k}." for k in range(round(config.frozen * len(layers)), len(layers))}  # type: ignore[arg-type]
    targets = [
        name
        for name, module in encoder.named_modules()
        if isinstance(module, nn.Linear) and any(name.startswith(place) for place in above)
    ]
    inject_adapter_in_model(LoraConfig(r=config.rank, lora_alpha=config.alpha, target_modules=targets), encoder)
    for name, parameter in encoder.named_parameters():
        learns = ".lora_" in name
        parameter.requires_grad_(learns)
        if not learns:  # in the precision that it is computed with, so that no batch converts it again
            parameter.data = parameter.data.bfloat16()
    adapted_layers = {name: encoder.get_submodule(name) for name in targets}
    for layer in adapted_layers.values():
        layer.cast_input_dtype_enabled = False  # type: ignore[assignment] # autocast does it, once
    return encoder, adapted_layers


def lead_back(layers: Mapping[str, nn.Module], pretrained: nn.Module, config: ChoiceConfig) -> None:
    """Make the adapter of each layer lead from the tagger's matrix back to the pretrained one, as near as it can.

    Raises:
        ModelError: the encoders are not alike.
    """
    for name, layer in layers.items():
        try:
            known = pretrained.get_submodule(name).get_parameter("weight").detach()
            changed = known.float() - layer.get_submodule("base_layer").get_parameter("weight").detach().float()
        except (AttributeError, RuntimeError) as error:
            raise ModelError(f"the tagger's encoder is not of the kind that it names: {error}") from None
        left, sizes, right = torch.linalg.svd(changed, full_matrices=False)
        rank = min(config.rank, len(sizes))
        root = (sizes[:rank] * (config.rank / config.alpha)).sqrt()
        down, up = (layer.get_submodule(f"{part}.default").get_parameter("weight") for part in ("lora_A", "lora_B"))
        down.data[:rank], up.data[:, :rank] = root[:, None] * right[:rank], left[:, :rank] * root


def exported(layers: Mapping[str, nn.Module], config: ChoiceConfig) -> dict[str, torch.Tensor]:
    """The low-rank matrices of some layers as ``adapter.adapted`` takes them."""
    found: dict[str, torch.Tensor] = {}
    for name, layer in layers.items():
        down, up = (layer.get_submodule(f"{part}.default").get_parameter("weight") for part in ("lora_A", "lora_B"))
        found[name + DOWN], found[name + UP] = down.detach(), up.detach() * (config.alpha / config.rank)
    return found


def _examples(
    items: Sequence[Item], encoder: nn.Module, tagger: Tagger, config: ChoiceConfig, progress: Progress | None = None
) -> list[_Example]:
    """The items as the frozen layers, which are all that ``encoder`` has, leave them."""
    inputs: list[ChoiceInput] = []
    for number, item in enumerate(items):
        if item.label is None:
            raise StoryError(f"item {number} has no label; training needs labelled items")
        inputs += encode_item(tagger.tokenizer, tagger.special, item.goal, item.solutions, config)
    device = next(encoder.parameters()).device
    hidden: list[torch.Tensor] = [torch.empty(0)] * len(inputs)
    order = sorted(range(len(inputs)), key=lambda k: len(inputs[k].ids))
    encoder.eval()
    for start in range(0, len(order), _AT_ONCE):
        chosen = order[start : start + _AT_ONCE]
        ids, attention = pad_inputs([inputs[k].ids for k in chosen], tagger.special.pad)
        with torch.inference_mode(), torch.autocast(device.type, dtype=torch.bfloat16):
            found = encoder(input_ids=ids.to(device), attention_mask=attention.to(device)).last_hidden_state
        for k, row in zip(chosen, found, strict=True):
            hidden[k] = row[: len(inputs[k].ids)].to(torch.bfloat16).cpu().clone()
        if progress is not None:
            progress(start + len(chosen), len(order), {"total": 0.0})
    return [
        _Example(
            (hidden[2 * n], hidden[2 * n + 1]), (inputs[2 * n].changed, inputs[2 * n + 1].changed), item.label or 0
        )
        for n, item in enumerate(items)
    ]


def _batches(examples: Sequence[_Example], size: int, rng: random.Random) -> list[list[_Example]]:
    """Random batches of items of like length (less padding), in random order."""
    order = list(range(len(examples)))
    rng.shuffle(order)
    batches: list[list[_Example]] = []
    for start in range(0, len(order), _POOL * size):
        block = sorted(order[start : start + _POOL * size], key=lambda i: examples[i].length)
        batches += [[examples[i] for i in block[k : k + size]] for k in range(0, len(block), size)]
    rng.shuffle(batches)
    return batches


def _fingerprint(items: Sequence[Item]) -> str:
    """A digest of everything that training reads of the items."""
    digest = hashlib.sha256()
    for item in items:
        digest.update(repr((item.goal, item.solutions, item.label)).encode())
    return digest.hexdigest()[:16]
