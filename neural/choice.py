"""Which of two solutions to a goal sounds right: an adapter on the tagger's encoder, and a head that scores a solution.

A goal and one solution are read together and give one score; the difference of both scores is the log-odds of the
choice, as in the baselines of PIQA's authors (Bisk et al., 2020). ``answer only`` leaves out the goal: how far that
gets is how far style gets.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from ..symbolic.errors import Location, ModelError
from .adapter import adapted
from .encoding import SpecialTokens
from .tagger import Tagger, one_thread

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_WEIGHTS, _CONFIG = "adapter.safetensors", "config.json"
_HEAD = "head."
FORMAT = 1


@dataclass(frozen=True)
class ChoiceConfig:
    """Sizes: the adapter's ``rank`` and ``alpha``, the head's dropout, and the tokens at which an input is cut.

    What the adapter adds is scaled by ``alpha / rank``. ``frozen`` is the share of the encoder's layers, from below,
    that have no adapter: they are computed once for all epochs.
    """

    frozen: float = 0.0
    rank: int = 64
    alpha: int = 64
    dropout: float = 0.1
    tokens: int = 160
    answer_only: bool = False


class ChoiceHead(nn.Module):
    """The score of a solution from its start token's vector and the mean of those that the other solution lacks.

    Most solutions of PIQA differ in a word or two: what is there is what the choice is about.
    """

    def __init__(self, width: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.dense = nn.Linear(2 * width, width)
        self.dropout = nn.Dropout(dropout)
        self.score = nn.Linear(width, 1)

    def forward(self, hidden: torch.Tensor, changed: torch.Tensor) -> torch.Tensor:
        """(solutions, tokens, width), and which tokens differ (solutions, tokens), to (solutions,)."""
        share = changed.to(hidden.dtype) / changed.sum(1, keepdim=True).clamp(min=1)
        differing = (hidden * share[..., None]).sum(1)
        both = torch.cat((hidden[:, 0], differing), 1)
        pooled = torch.tanh(self.dense(self.dropout(both)))
        score: torch.Tensor = self.score(self.dropout(pooled)).squeeze(-1)
        return score


@dataclass(frozen=True)
class ChoiceInput:
    """Token ids of a goal and a solution, and the places of the tokens that the other solution does not have there."""

    ids: tuple[int, ...]
    changed: tuple[int, ...]


def encode_item(
    tokenizer: Tokenizer, special: SpecialTokens, goal: str, solutions: Sequence[str], config: ChoiceConfig
) -> tuple[ChoiceInput, ChoiceInput]:
    """Both solutions of an item as inputs.

    Where one solution says nothing that the other does, its tokens beside the gap count as different.
    """
    first, second = (encode_solution(tokenizer, special, goal, solution, config) for solution in solutions)
    changed: tuple[set[int], set[int]] = (set(), set())
    for kind, i, j, k, m in SequenceMatcher(None, first, second, autojunk=False).get_opcodes():
        if kind != "equal":
            for places, start, end, ids in ((changed[0], i, j, first), (changed[1], k, m, second)):
                near = range(start, end) if start < end else range(start - 1, start + 1)
                places.update(place for place in near if 0 < place < len(ids))
    return ChoiceInput(first, tuple(sorted(changed[0]))), ChoiceInput(second, tuple(sorted(changed[1])))


def encode_solution(
    tokenizer: Tokenizer, special: SpecialTokens, goal: str, solution: str, config: ChoiceConfig
) -> tuple[int, ...]:
    """Token ids of a goal and a solution: start, goal, end, solution, end; what is too long loses its end.

    The goal keeps at most half the tokens. Encoders of RoBERTa's kind put two end tokens between.
    """
    between = max(1, tokenizer.num_special_tokens_to_add(is_pair=True) - 2)
    room = config.tokens - 2 - between

    def ids(text: str) -> list[int]:
        # The blank before the first word makes byte-level tokenizers see the same word everywhere.
        return list(tokenizer.encode(" " + text.strip(), add_special_tokens=False).ids)

    if config.answer_only:
        return (special.start, *ids(solution)[:room], special.end)
    asked = ids(goal)[: room // 2]
    return (special.start, *asked, *[special.end] * between, *ids(solution)[: room - len(asked)], special.end)


def mark_changed(changed: Sequence[Sequence[int]], tokens: int) -> torch.Tensor:
    """Which tokens differ: (inputs, tokens) of 0 and 1."""
    marks = torch.zeros((len(changed), tokens))
    for k, places in enumerate(changed):
        marks[k, list(places)] = 1
    return marks


def pad_inputs(inputs: Sequence[Sequence[int]], pad: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Ids and attention, each (inputs, tokens)."""
    ids = torch.full((len(inputs), max(map(len, inputs))), pad, dtype=torch.long)
    attention = torch.zeros_like(ids)
    for k, one in enumerate(inputs):
        ids[k, : len(one)] = torch.tensor(one)
        attention[k, : len(one)] = 1
    return ids, attention


class Chooser:
    """A trained head and adapter over a tagger's encoder."""

    def __init__(
        self, encoder: nn.Module, head: ChoiceHead, tokenizer: Tokenizer, special: SpecialTokens, config: ChoiceConfig
    ) -> None:
        self.encoder = encoder.eval()
        self.head = head.eval()
        self.tokenizer = tokenizer
        self.special = special
        self.config = config

    @classmethod
    def load(cls, folder: Path, tagger: Tagger) -> Chooser:
        """Load what ``save`` wrote, over the encoder of the tagger that it was trained on, whose weights it shares.

        Raises:
            ModelError: it is missing, damaged, or of another model.
        """
        try:
            about = json.loads((folder / _CONFIG).read_text("utf-8"))
            stored = load_file(folder / _WEIGHTS)
        except FileNotFoundError:
            raise ModelError(
                "this model cannot choose between solutions yet; run 'disproof train piqa'", Location(str(folder))
            ) from None
        except (OSError, ValueError, SafetensorError) as error:
            raise ModelError(f"missing or damaged adapter: {error}", Location(str(folder))) from None
        try:
            if about["format"] != FORMAT:
                raise ModelError(f"this is no adapter of format {FORMAT}; train it again", Location(str(folder)))
            config = ChoiceConfig(**about["network"])
            head = ChoiceHead(int(tagger.config["width"]))
            weights = {name: value.float() for name, value in stored.items()}
            head.load_state_dict({k.removeprefix(_HEAD): v for k, v in weights.items() if k.startswith(_HEAD)})
            encoder = adapted(tagger.network.encoder, weights)
        except (KeyError, TypeError, AttributeError, RuntimeError) as error:
            raise ModelError(f"the adapter is of another model: {error}", Location(str(folder))) from None
        return cls(encoder, head, tagger.tokenizer, tagger.special, config)

    def prefer(self, goal: str, solutions: tuple[str, str]) -> float:
        """The log-odds that the first solution is the right one, uncalibrated."""
        with torch.inference_mode(), one_thread():
            inputs = encode_item(self.tokenizer, self.special, goal, solutions, self.config)
            first, second = (self._score(one) for one in inputs)
        return first - second

    def _score(self, one: ChoiceInput) -> float:
        ids, attention = pad_inputs([one.ids], self.special.pad)
        hidden = self.encoder(input_ids=ids, attention_mask=attention).last_hidden_state
        return float(self.head(hidden.float(), mark_changed([one.changed], len(one.ids)))[0])


def is_whole(folder: Path) -> bool:
    """Whether ``save_chooser`` came to its end in a folder."""
    return (folder / _CONFIG).is_file()


def save_chooser(folder: Path, adapter: dict[str, torch.Tensor], head: ChoiceHead, about: dict[str, Any]) -> None:
    """Write an adapter and a head as a folder, in half precision; the config comes last, and makes it whole."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _CONFIG).unlink(missing_ok=True)
    weights = {**adapter, **{_HEAD + name: value for name, value in head.state_dict().items()}}
    save_file({name: value.detach().half().contiguous().cpu() for name, value in weights.items()}, folder / _WEIGHTS)
    fresh = folder / "config.tmp"
    fresh.write_text(json.dumps({"format": FORMAT, **about}, indent=1) + "\n", "utf-8")
    fresh.replace(folder / _CONFIG)
