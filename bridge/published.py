"""What papers report of TRIP, to stand beside what is measured here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Published:
    """Figures of a paper, as fractions; None for a protocol that it does not use."""

    name: str
    accuracy: float
    consistency: float
    all_states: float | None
    proof: float | None
    from_memory: bool

    @property
    def title(self) -> str:
        """The name, marked as what it is."""
        return f"{self.name} (published{', from memory' if self.from_memory else ''})"


# On TRIP's test set (351 pairs), trained on the 799 pairs of its training set: Storks et al. (2021), then the papers of
# CGLI and FCGLI-HAR. The last names one entity and attribute, to which the protocol "proof" comes nearest.
PUBLISHED: Final = (
    Published("RoBERTa-large, tiered", 0.729, 0.191, 0.091, None, False),
    Published("CGLI", 0.941, 0.773, 0.280, None, True),
    Published("FCGLI-HAR", 0.943, 0.754, None, 0.411, True),
)
PUBLISHED_NOTE: Final = (
    "Published rows are of TRIP's test set and of systems trained on its training set: on another file they are no "
    "rivals, only a scale. Those from memory were not checked against the papers; FCGLI-HAR's verifiability is of one "
    "entity and attribute, which needs no proof."
)
