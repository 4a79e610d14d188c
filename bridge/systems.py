"""The systems of a comparison: what one may be, and running it over annotated pairs.

A system is named on the command line: a plain name of those built in, or ``NAME=FOLDER`` for a model of the user's own,
with options after commas (``mine=runs/small,rules=my_rules``). A folder in which ``train ... --folds`` left its folds
stands for models that never saw the pair they judge: then a file may be compared that was also trained on.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

from ..neural import DEFAULT_MODEL
from ..neural.beliefs import Beliefs, PairBeliefs
from ..symbolic.errors import Location, ModelError, UsageError, did_you_mean
from ..symbolic.story import Story, StoryPair
from .cache import Cache, Clock, files_digest, story_key
from .cached_parts import CachedParser, CachedSolver, CachedTagger
from .calibration import TemperedTagger
from .comparison import Cost, SystemRun
from .engine import AnalysedPair, Engine, StateTagger, choice_of, require_weights, weigh, weights_file
from .evaluation import (
    Evaluation,
    Progress,
    analyse_pairs,
    data_digest,
    evaluate_random,
    measure,
    predict_pair,
    predict_random,
    trained_on,
)
from .predictions import match_predictions, read_predictions
from .scoring import Weights, load_temperatures
from .tiered import load_tiered

if TYPE_CHECKING:
    from ..neural.tiered import Tiered

Kind = Literal["random", "tiered", "symbolic", "neurosymbolic", "predictions"]
BUILT_IN: Final = ("random", "symbolic", "neurosymbolic")
_OPTIONS: Final = ("rules", "states", "system")


@dataclass(frozen=True)
class SystemSpec:
    """One system to be compared.

    ``model`` is a shipped model, a folder, or the file of "predictions"; ``states`` "gold" takes the annotation, and
    ``rules`` are rule files or folders that add to the shipped ones.
    """

    name: str
    kind: Kind
    model: str = DEFAULT_MODEL
    rules: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    states: Literal["predicted", "gold"] = "predicted"


def parse_system(text: str, model: str = DEFAULT_MODEL, without: Sequence[str] = ()) -> SystemSpec:
    """A system as the command line names it: "symbolic" or "NAME=FOLDER[,rules=DIR][,states=gold][,system=KIND]".

    Raises:
        UsageError: it is not of that form.
        ModelError: there is no such folder.
    """
    name, given, rest = text.partition("=")
    if not given:
        if name == "tiered":
            raise UsageError(
                "the tiered baseline's weights do not ship: train them with 'disproof train tiered FILE --out DIR' "
                "and name it as tiered=DIR"
            )
        if name not in BUILT_IN:
            near = did_you_mean(name, BUILT_IN) or f": give {', '.join(BUILT_IN)} or NAME=FOLDER"
            raise UsageError(f"no system {name!r}{near}")
        return SystemSpec(name, name, model, without=tuple(without))  # type: ignore[arg-type]
    folder, *options = rest.split(",")
    if not name or not folder:
        raise UsageError(f"{text!r} is no system: write NAME=FOLDER")
    found: dict[str, list[str]] = {}
    for option in options:
        key, _, value = option.partition("=")
        if key not in _OPTIONS or not value:
            raise UsageError(f"{option!r} is no option of a system: write rules=DIR, states=gold or system=symbolic")
        found.setdefault(key, []).append(value)
    states = found.get("states", ["predicted"])[-1]
    if states not in ("predicted", "gold"):
        raise UsageError(f"states={states} is neither predicted nor gold")
    if "system" in found:
        kind = found["system"][-1]
    else:
        kind = "symbolic" if states == "gold" else kind_of_folder(folder)
        if name == "symbolic" and kind == "neurosymbolic":  # one model is both; the name says which is meant
            kind = name
    if kind not in get_args(Kind) or kind in ("random", "predictions"):
        raise UsageError(f"system={kind} is none of symbolic, neurosymbolic and tiered")
    rules = tuple(found.get("rules", ()))
    if kind == "tiered" and (rules or states == "gold"):
        raise UsageError(f"{name!r} is a tiered baseline, which has no rules and predicts its states: leave those out")
    return SystemSpec(name, kind, folder, rules, tuple(without), states)  # type: ignore[arg-type]


def kind_of_folder(folder: str) -> Kind:
    """What was trained in a folder.

    Raises:
        ModelError: it is no model, nor a run of folds.
    """
    from ..neural.weights import load_config

    if is_run_of_folds(folder):
        from safetensors import SafetensorError, safe_open

        place = Path(folder) / "fold-0" / "heldout.safetensors"
        try:
            with safe_open(place, framework="numpy") as file:
                return "tiered" if any(key.endswith(".choice") for key in file.keys()) else "neurosymbolic"  # noqa: SIM118
        except (OSError, SafetensorError):
            raise ModelError("this fold cannot be read: train it again", Location(str(place))) from None
    if not Path(folder).is_dir():
        require_weights(folder)
        return "neurosymbolic"
    return "tiered" if load_config(Path(folder)).get("kind") == "tiered" else "neurosymbolic"


def is_run_of_folds(folder: str) -> bool:
    """Whether ``train ... --folds`` left its folds there."""
    return (Path(folder) / "fold-0" / "heldout.safetensors").is_file()


def run_system(
    spec: SystemSpec,
    pairs: Sequence[StoryPair],
    cache: Cache,
    seed: int = 0,
    progress: Progress | None = None,
) -> SystemRun:
    """What a system says of annotated pairs, with what was kept in ``cache`` not computed again.

    Raises:
        StoryError: there are no pairs, one lacks its annotation, or predictions are of other pairs.
        ModelError: a model cannot be loaded, or its folds are of other data.
        RuleError: a rule file is refused.
    """
    if spec.kind == "random":
        evaluation = evaluate_random(pairs, seed)
        return SystemRun(spec.name, _figures(evaluation, spec), predict_random(pairs, seed))
    if spec.kind == "predictions":
        from .metrics import score_pairs

        matched = match_predictions(pairs, list(read_predictions(spec.model)))
        return SystemRun(spec.name, score_pairs(pairs, matched, system=spec.name).to_json(), matched)
    if spec.kind == "tiered":
        return _run_tiered(spec, pairs, cache, progress)
    return _run_engine(spec, pairs, cache, progress)


def seen_by(spec: SystemSpec, pairs: Sequence[StoryPair]) -> bool:
    """Whether a system's model was trained on exactly these stories (its figures then say little)."""
    from ..neural.tagger import model_folder
    from ..neural.weights import load_config

    if spec.kind in ("random", "predictions") or spec.states == "gold" or is_run_of_folds(spec.model):
        return False
    return trained_on(load_config(model_folder(spec.model)), pairs)


def _figures(evaluation: Evaluation, spec: SystemSpec) -> dict[str, Any]:
    return {**evaluation.to_json(), "system": spec.name}


# ---- The engine


def _run_engine(spec: SystemSpec, pairs: Sequence[StoryPair], cache: Cache, progress: Progress | None) -> SystemRun:
    began = time.perf_counter()
    engine, clocks = _engine(spec, pairs, cache)
    analysed = analyse_pairs(engine, pairs, progress)
    weights = _weights(engine, pairs, analysed, is_run_of_folds(spec.model))
    evaluation = measure(pairs, analysed, weights, spec.name, time.perf_counter() - began)
    weighed = list(zip(analysed, weights, strict=True))
    medians = [clock.median() for clock in clocks]
    known = [seconds for seconds in medians if seconds is not None]
    return SystemRun(
        spec.name,
        _figures(evaluation, spec),
        [predict_pair(both, w) for both, w in weighed],
        [max(weigh(both, w)[1]) for both, w in weighed],
        [choice_of(both, w) for both, w in weighed],
        Cost(medians[1], medians[2], sum(known) if known else None, _size(spec)),
    )


def _engine(spec: SystemSpec, pairs: Sequence[StoryPair], cache: Cache) -> tuple[Engine, tuple[Clock, Clock, Clock]]:
    """An engine of cached parts, and their clocks: parser, tagger, solver."""
    from ..neural.parser import Parser
    from ..neural.tagger import Tagger, model_folder
    from .training import load_heldout

    data = data_digest(pairs)
    parser = CachedParser(Parser, cache, data)
    tagger: StateTagger
    if is_run_of_folds(spec.model):
        tagger, clock = load_heldout(Path(spec.model), pairs), cache.clock("taggings", "folds")
    else:
        folder = model_folder(spec.model)
        cached = CachedTagger(lambda: Tagger.load(folder), cache, data, files_digest(folder))
        tagger = TemperedTagger(cached, load_temperatures(weights_file(spec.model, "predicted")))
        clock = cached.clock
    solver = cache.solver(
        (data, *map(str, spec.rules), "without", *spec.without),
        lambda: CachedSolver(Engine(rules=spec.rules, without=spec.without).solver, cache, data),
    )
    engine = Engine(
        spec.model,
        system="symbolic" if spec.kind == "symbolic" else "neurosymbolic",
        states=spec.states,
        tagger=tagger,
        parser=parser,
        solver=solver,
    )
    return engine, (parser.clock, clock, solver.clock)


def _weights(
    engine: Engine, pairs: Sequence[StoryPair], analysed: Sequence[AnalysedPair], folds: bool
) -> list[Weights]:
    """The weights to use for each pair: of a run of folds, those learned on the other folds."""
    if not folds or engine.states == "gold":
        return [engine.weights] * len(pairs)
    from ..neural.training import folds as parts
    from .training import FOLDS, fold_weights, without_prior

    return fold_weights(
        pairs, without_prior(analysed) if engine.system == "symbolic" else analysed, parts(pairs, FOLDS)
    )


def _size(spec: SystemSpec) -> int | None:
    """The bytes of a model's files; None where there is no one model."""
    from ..neural.tagger import model_folder

    if spec.states == "gold" or is_run_of_folds(spec.model):
        return None
    return sum(path.stat().st_size for path in model_folder(spec.model).iterdir() if path.is_file())


# ---- The tiered baseline


def _run_tiered(spec: SystemSpec, pairs: Sequence[StoryPair], cache: Cache, progress: Progress | None) -> SystemRun:
    from ..neural.beliefs import choose
    from .tiered import measure_tiered
    from .tiered import predict_pair as predict

    began = time.perf_counter()
    clock: Clock | None = None
    if is_run_of_folds(spec.model):
        beliefs = _beliefs_of_folds(Path(spec.model), pairs)
    else:
        beliefs, clock = _beliefs(spec, pairs, cache, progress)
    metrics = measure_tiered(pairs, beliefs, seconds=time.perf_counter() - began)
    each = clock.median() if clock is not None else None
    return SystemRun(
        spec.name,
        _figures(Evaluation(metrics, metrics), spec),
        [predict(both) for both in beliefs],
        [max(choose(both)[1]) for both in beliefs],
        None,
        Cost(each, None, each, _size(spec)),
    )


def _beliefs_of_folds(folder: Path, pairs: Sequence[StoryPair]) -> list[PairBeliefs]:
    from ..neural.beliefs import load_heldout

    found: dict[int, PairBeliefs] = {}
    for place in sorted(folder.glob("fold-*")):
        found.update(load_heldout(place / "heldout.safetensors", pairs))
    if sorted(found) != list(range(len(pairs))):
        raise ModelError("not all folds of this data are trained; run 'disproof train tiered'", Location(str(folder)))
    return [found[number] for number in range(len(pairs))]


def _beliefs(
    spec: SystemSpec, pairs: Sequence[StoryPair], cache: Cache, progress: Progress | None
) -> tuple[list[PairBeliefs], Clock]:
    """What the baseline says of each pair, one story at a time: that is how it would be used."""
    name = ("beliefs", data_digest(pairs), files_digest(Path(spec.model)))
    section, clock = cache.arrays(*name), cache.clock(*name)
    loaded: list[Tiered] = []

    def believe(story: Story) -> Beliefs:
        key = story_key(story.sentences, story.entities)
        states, conflict = section.get(f"{key}.states"), section.get(f"{key}.conflict")
        if states is not None and conflict is not None:
            clock.again(key)
            return Beliefs(story.entities or (), states, conflict)
        if not loaded:
            loaded.append(load_tiered(spec.model))
        with clock.running(key):
            said = loaded[0].read([story])[0]
        section.put(f"{key}.states", said.states)
        section.put(f"{key}.conflict", said.conflict)
        return said

    found = []
    for count, pair in enumerate(pairs, 1):
        found.append((believe(pair.stories[0]), believe(pair.stories[1])))
        if progress is not None:
            progress(count, len(pairs))
    return found, clock
