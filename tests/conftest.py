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

# Takes the engine by name when it is first imported: that must be before a test puts another in its place.
import disproof.bridge.training  # noqa: F401
from disproof.bridge.comparison import Comparison, Cost, SystemRun, compare
from disproof.bridge.difference import difference
from disproof.bridge.evidence import Evidence
from disproof.bridge.metrics import PairPrediction, SingleMetrics, StoryPrediction, score_pairs
from disproof.bridge.piqa import PiqaReasons, PiqaWeights, Signals, decide
from disproof.bridge.piqa_comparison import PiqaComparison, PiqaRun
from disproof.bridge.piqa_data import PiqaItem
from disproof.bridge.verdict import Choice, Verdict
from disproof.symbolic.proof import Conflict, ProofNode
from disproof.symbolic.story import Gold, State, StateTable, Story, StoryPair
from disproof.symbolic.vocabulary import ATTRIBUTE, EFFECT, FALSE, N_ATTRIBUTES, PRECONDITION, SIDES, TRUE

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


CUP_AND_ANN = ("cup", "Ann")
_PIECES = State("effect", 1, "cup", "pieces", 2)
_WHOLE = State("precondition", 3, "cup", "pieces", 1)
_FULL = State("precondition", 3, "cup", "contain", 2)
_EMPTY = State("effect", 2, "cup", "contain", 1)
_HOT = State("effect", 1, "cup", "temperature", 2)


def _table(*states: State) -> StateTable:
    values = np.zeros((len(CUP_AND_ANN), 4, 2, N_ATTRIBUTES), np.int8)
    for s in states:
        values[CUP_AND_ANN.index(s.entity), s.sentence, SIDES.index(s.side), ATTRIBUTE[s.attribute].index] = s.value
    return StateTable(CUP_AND_ANN, values)


def _pair(identifier: str, conflict: tuple[int, int], *states: State, odd: str = "Ann rests.") -> StoryPair:
    """Of label 1: the first story cannot happen; the twin leaves in its last sentence."""
    sentences = ("Ann fills the cup.", "Ann breaks the cup.", odd, "Ann drinks from the cup.")
    broken = Story(sentences, CUP_AND_ANN, f"{identifier}-0", Gold(False, conflict, _table(*states)))
    twin = Story((*sentences[:3], "Ann leaves."), CUP_AND_ANN, f"{identifier}-1", Gold(True, None, _table()))
    return StoryPair((broken, twin), 1, identifier)


def _pairs(odd: str = "Ann rests.") -> list[StoryPair]:
    """Two are of one base story; kinds: pieces, contain, none, pieces; distances 2, 1, 2 and 2."""
    return [
        _pair("1-C0", (1, 3), _PIECES, _WHOLE),
        _pair("1-C1", (2, 3), _EMPTY, _FULL, odd=odd),
        _pair("2-C0", (1, 3), _HOT, odd=odd),
        _pair("3-C0", (1, 3), _PIECES, _WHOLE),
    ]


def _said(
    choice: int, conflict: tuple[int, ...] | None, states: tuple[State, ...], proof: tuple[State, ...] | None = None
) -> PairPrediction:
    return PairPrediction(choice, (StoryPrediction(conflict, _table(*states), proof), StoryPrediction()))


_RULES = [
    _said(1, (1, 3), (_PIECES, _WHOLE), (_PIECES, _WHOLE)),
    _said(1, (2, 3), (_EMPTY, _FULL), (_EMPTY,)),
    _said(1, (0, 3), (_HOT,), (_HOT,)),
    _said(0, (1, 3), (_PIECES, _WHOLE)),
]
_PRIOR = [
    _said(1, (1, 3), (_PIECES, _FULL)),
    _said(0, (2, 3), ()),
    _said(1, (0, 3), (_HOT,)),
    _said(0, (0, 3), ()),
]


def _proof(text: str) -> Conflict:
    """A proof of two steps, the first of which says ``text``."""
    label = ProofNode('label(eff,1,"cup",pieces,true,105)', "state", state=State("effect", 1, "cup", "pieces", 2, 0.9))
    atom = 'conflict(1,3,pieces_clash,"cup",pieces)'
    root = ProofNode(atom, "rule", "pieces_clash", "things.lp", 12, text, (label,), ('regained(3,"cup")',))
    return Conflict(1, 3, "pieces_clash", "pieces_clash", "cup", "pieces", root)


def _choices(stories: list[StoryPair], said: list[PairPrediction], text: str) -> list[Choice]:
    """Choices with a proof of the second pair only."""
    found = []
    for number, (both, prediction) in enumerate(zip(stories, said, strict=True)):
        verdicts = []
        for k, story in enumerate(both.stories):
            plausible = k == prediction.choice
            proved = _proof(text) if number == 1 and not plausible else None
            pair = None if plausible else prediction.stories[k].conflict
            two = None if pair is None else (pair[0], pair[1])
            basis: Any = "no conflict" if plausible else "proof" if proved else "neural prior"
            verdicts.append(Verdict(story.id, story.sentences, CUP_AND_ANN, plausible, 0.9, basis, two, proved))
        shares = (0.9, 0.1) if prediction.choice == 0 else (0.1, 0.9)
        found.append(Choice(prediction.choice, shares, (verdicts[0], verdicts[1])))
    return found


def _run(
    name: str,
    stories: list[StoryPair],
    predictions: list[PairPrediction],
    confidences: list[float] | None = None,
    explained: list[Choice] | None = None,
    cost: Cost | None = None,
) -> SystemRun:
    figures = score_pairs(stories, predictions, SingleMetrics(8, 0.75, 0.5), name).to_json()
    return SystemRun(name, figures, predictions, confidences, explained, cost or Cost(None, None, None, None))


Compared = Callable[..., Comparison]


@pytest.fixture(scope="session")
def compared() -> Compared:
    """Makes a comparison that can be checked by hand: four pairs, and three systems.

    They are "rules" (timed, explained), "prior" (sure of itself) and ``name``, which brings predictions alone. They
    disagree on the second pair, of which ``odd`` is a sentence; its only proof says ``text``.
    """

    def make(odd: str = "Ann rests.", text: str = "the cup is in pieces", name: str = "people’s own") -> Comparison:
        stories = _pairs(odd)
        explained = _choices(stories, _RULES, text)
        return compare(
            stories,
            [
                _run("rules", stories, _RULES, [1.0, 0.8, 0.8, 0.6], explained, Cost(0.02, 0.01, 0.03, 2)),
                _run("prior", stories, _PRIOR, [0.95, 0.95, 0.95, 0.95]),
                _run(name, stories, _PRIOR),
            ],
        )

    return make


ComparedPiqa = Callable[..., PiqaComparison]
_WEIGHTS = PiqaWeights(dict.fromkeys(("proof", "together", "neural"), 1.0))


@pytest.fixture(scope="session")
def compared_piqa() -> ComparedPiqa:
    """Makes a comparison on PIQA that can be checked by hand: three items, the second with ``goal``, and four systems.

    They are "rules", "counts", ``name``, which is neural, and a coin. All but the coin choose alike on the third item
    only. Against the first solution of the first item, which is wrong, a proof and a fact say ``text``; of the second
    item, too, but there "rules" prefer that solution all the same.
    """

    def make(
        goal: str = "Wash wool.", text: str = "the cup is in pieces", name: str = "people’s own"
    ) -> PiqaComparison:
        items = (
            PiqaItem(7, "Knead dough.", ("Knead it with your feet.", "Knead it with your hands now."), 1),
            PiqaItem(8, goal, ("Wash it.", "Wash it in warm water."), 1),
            PiqaItem(9, "Boil water.", ("Heat it.", "Cool it."), 0),
        )

        def judged(item: PiqaItem, side: int, conflict: Conflict | None) -> Verdict:
            sentences = (item.solutions[side], item.goal)
            if conflict is None:
                return Verdict("", sentences, (), True, 0.9, "no conflict")
            return Verdict("", sentences, (), False, 0.9, "proof", (0, 1), conflict)

        def run(name: str, kind: Any, proofs: str, *heard: Signals) -> PiqaRun:
            choices = []
            for item, signals, proved in zip(items, heard, proofs, strict=True):
                conflict = _proof(text) if proved == "1" else None
                verdicts = (judged(item, 0, conflict), judged(item, 1, None)) if kind == "neurosymbolic" else None
                facts = (Evidence(text, "training pairs", -1.25), Evidence("“it”: often", "training pairs", 0.25))
                told = PiqaReasons(difference(*item.solutions), verdicts, () if kind in ("neural", "random") else facts)
                choices.append(decide(item, signals, told, _WEIGHTS))
            return PiqaRun(name, kind, tuple(choices), 1.0)

        neural = Signals(neural=0.5)
        runs = (
            run("rules", "neurosymbolic", "110", Signals(proof=-2.0), Signals(proof=-1.0, neural=2.0), neural),
            run("counts", "symbolic", "000", Signals(together=-1.5), Signals(together=-0.5), Signals(together=2.0)),
            run(name, "neural", "000", neural, neural, neural),
            run("coin", "random", "000", Signals(), Signals(), Signals()),
        )
        return PiqaComparison(items, runs)

    return make
