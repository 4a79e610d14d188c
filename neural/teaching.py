"""Learning states from another tagger: what a teacher tells of stories that nobody annotated.

A large tagger knows more of states than a small one does, and it can tell them of any story. A student learns the
teacher's whole distributions (Hinton, Vinyals and Dean, 2015), softened, for a tagger is too sure of itself.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import torch

from ..symbolic.errors import Location, ModelError
from ..symbolic.story import Story
from . import checkpoint, encoders
from . import weights as weights_io
from .model import ModelConfig, TaggerNetwork
from .tagger import Tagger

# Taggers of stories that they never saw are calibrated by dividing their log-odds by about 2, whatever the attribute
# (``temperatures`` in the weights files).
SOFTENING: Final = 2.0


def load_teacher(place: Path) -> Tagger:
    """The tagger of a model folder or of one finished run of training (a fold, too).

    Raises:
        ModelError: there is none, or it is damaged.
    """
    if (place / "config.json").exists():
        return Tagger.load(place)
    checkpoint.digest(place)  # says best that there is nothing
    settings: dict[str, Any] = checkpoint.peek(place / "checkpoint").get("training", {})
    try:
        name, sizes = str(settings["encoder"]), ModelConfig(**settings["model"])
    except (KeyError, TypeError) as error:
        raise ModelError(f"this run does not say what it trained ({error})", Location(str(place))) from None
    encoder = encoders.load_pretrained(name)
    trained = TaggerNetwork(encoder.network, encoder.width, sizes)
    checkpoint.begin_with(trained, place)
    # As a model in use is loaded, in 8-bit numbers: it tells thousands of stories, in a third of the time.
    network = TaggerNetwork(encoders.for_inference(encoder.config), encoder.width, sizes)
    network.load_state_dict(weights_io.fit(weights_io.quantise(trained.state_dict()), network), assign=True)
    return Tagger(network, encoder.tokenizer, encoder.special, {"name": place.name, "encoder_config": encoder.config})


def taught_states(teacher: Tagger, story: Story) -> torch.Tensor:
    """What a teacher says of a story's entities: probabilities, softened, (entities, sentences, 2, 20, 9)."""
    told = teacher.tag(story.sentences, story.entities or ()).probabilities
    softened = torch.from_numpy(told).pow(1.0 / SOFTENING)
    # Half the bytes: a training run holds these of all its stories.
    return (softened / softened.sum(-1, keepdim=True)).half()
