"""Fixtures shared by all tests."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT, FALSE, N_ATTRIBUTES, PRECONDITION, TRUE

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with TRIP, PIQA and the auxiliary data; tests that need it skip where it is absent."""
    folder = Path(os.environ.get("DISPROOF_DATA", REPOSITORY.parent / "shared" / "data"))
    if not (folder / "trip" / "dev.jsonl.gz").exists():
        pytest.skip(f"needs the TRIP data in {folder} (set DISPROOF_DATA to the folder that holds trip/dev.jsonl.gz)")
    return folder


@dataclass(frozen=True)
class Finished:
    """What one run of the command line came to."""

    status: int
    out: str
    err: str


CommandLine = Callable[..., Finished]


@pytest.fixture(scope="session")
def command_line() -> CommandLine:
    """Runs the command line in this process: ``command_line("explain", file, stdin=b"...")``.

    Its engine has no model: the states are those of STATES below, every rule weighs the same, and there is no prior.
    """
    from disproof import cli
    from disproof.bridge.engine import Engine
    from disproof.bridge.scoring import Weights
    from disproof.neural.fake import FakeTagger
    from disproof.neural.parser import Parser

    parser = Parser()

    made: dict[str, Engine] = {}

    def engine(model: str, **options: Any) -> Engine:
        new = Engine(model, **options, tagger=FakeTagger(STATES, {}), parser=parser, weights=Weights(default=3.0))
        # The shipped rules take most of a second to load, and do not change.
        return new if options.get("rules") else made.setdefault(repr(options), new)

    def run(*arguments: object, stdin: bytes = b"") -> Finished:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n") for _ in range(2))
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.setattr("disproof.bridge.engine.Engine", engine)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
            status = cli.run([str(argument) for argument in arguments])
        texts = []
        for stream in (out, err):
            stream.flush()
            texts.append(stream.buffer.getvalue().decode("utf-8"))
        return Finished(status, *texts)

    return run


STATES: dict[str, dict[tuple[Any, str, str], tuple[int, float]]] = {
    "Maria unplugged the phone.": {
        ("effect", "phone", "power"): (1, 0.97),
        ("precondition", "phone", "power"): (2, 0.9),
    },
    "Maria called her sister on the phone.": {("precondition", "phone", "power"): (2, 0.95)},
}


@pytest.fixture(scope="session")
def tiny_encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a BERT of one layer and random weights, and a tokenizer of whole words and letters.

    It reads 64 tokens at once.
    """
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    letters = "abcdefghijklmnopqrstuvwxyz0123456789.,'\"-"
    words = "the a on in of sat sofa phone lamp radio fan maria tom ann cup table plugged used turned".split()
    tokens = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words, *letters, *(f"##{c}" for c in letters)]
    tokens = list(dict.fromkeys(tokens))
    tokenizer = Tokenizer(models.WordPiece({t: k for k, t in enumerate(tokens)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    folder = tmp_path_factory.mktemp("encoder")
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, cls_token="[CLS]", sep_token="[SEP]", pad_token="[PAD]", unk_token="[UNK]"
    ).save_pretrained(folder)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        network = BertModel(
            BertConfig(
                vocab_size=len(tokens),
                hidden_size=16,
                num_hidden_layers=1,
                num_attention_heads=2,
                intermediate_size=32,
                max_position_embeddings=64,
            )
        )
    network.save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def trip_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seven annotated pairs of six base stories, shaped like TRIP's converted file.

    The implausible story unplugs a thing and then uses it; its twin plugs it in.
    """
    power = ATTRIBUTE["power"].index
    things = ("phone", "lamp", "radio", "fan", "mixer", "heater", "toaster")
    lines = []
    for number, (person, thing) in enumerate(zip("Maria Tom Ann John Ben Eve Maria".split(), things, strict=True)):
        twins = ((f"{person} plugged in the {thing}.", TRUE, True), (f"{person} unplugged the {thing}.", FALSE, False))
        for first, powered, plausible in twins:
            values = np.zeros((2, 3, 2, N_ATTRIBUTES), int)
            values[1, 0, EFFECT, power] = powered
            values[1, 2, PRECONDITION, power] = TRUE
            name = f"{number % 6}-C{number // 6}"
            line = {
                "para_id": f"{name}-{number % 6}" if plausible else f"{name}-{name}",
                "sentence_texts": [first, f"{person} sat on the sofa.", f"{person} turned on the {thing}."],
                "participants": [person, thing],
                "plausible": plausible,
                "confl_pairs": [] if plausible else [[0, 2]],
                "states": values.tolist(),
            }
            lines.append(json.dumps(line) + "\n")
    file = tmp_path_factory.mktemp("trip") / "tiny.jsonl"
    file.write_text("".join(lines), "utf-8")
    return file
