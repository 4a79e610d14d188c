"""How far a rule's proof is to be trusted when two solutions are told apart.

The rules were written for stories; a solution may leave unsaid what a story would say. So each rule is tried on solved
items, on their text alone: a rule that fires in the wrong solution alone is right, one that fires in the right
solution alone is wrong. Rules that fire seldom are trusted as far as others of their kind are: those of procedures
(which ask for the goal), or those of stories. Whoever writes a rule of their own means it: it is trusted more than any
of these.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from ..symbolic.proof import Conflict
from ..symbolic.rulebook import SHIPPED

Kind = Literal["procedure", "story"]
# So many tries of its kind stand beside a rule's own.
_PRIOR: Final = 4.0
# Minus the log of how sure the states must be that a proof cites: 90%.
_SURE: Final = 0.105
# The log-odds of 95%.
OWN: Final = 3.0
_DECIMALS: Final = 3


@dataclass(frozen=True)
class RuleTrust:
    """Log-odds that a rule is right, by name, and those of each kind of rule for the others."""

    rules: Mapping[str, float]
    kinds: Mapping[Kind, float]

    def of(self, conflict: Conflict) -> float:
        """How far a conflict's rule is trusted; 0 where it is wrong as often as right, or rests on unsure states."""
        if conflict.cost > _SURE:
            return 0.0
        if not is_shipped(conflict):
            return OWN
        found = self.rules.get(conflict.rule)
        return max(0.0, self.kinds[kind_of(conflict)] if found is None else found)

    def to_json(self) -> dict[str, Any]:
        """As it is kept in a file."""
        return {"rules": dict(self.rules), "kinds": dict(self.kinds)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RuleTrust:
        """The inverse of ``to_json``.

        Raises:
            KeyError, TypeError, ValueError: it is something else.
        """
        return cls(
            {str(name): float(value) for name, value in data["rules"].items()},
            {"procedure": float(data["kinds"]["procedure"]), "story": float(data["kinds"]["story"])},
        )


def kind_of(conflict: Conflict) -> Kind:
    """Whether a conflict's rule asks for the goal of a procedure."""
    asks = any(child.atom.startswith("goal(") for child in conflict.proof.children)
    return "procedure" if asks else "story"


def learn_trust(fired: Iterable[tuple[Conflict, bool]]) -> RuleTrust:
    """The trust that each rule has earned: conflicts that only one solution has, and whether that is the wrong one."""
    tries: dict[Kind, Counter[bool]] = {"procedure": Counter(), "story": Counter()}
    of_rule: dict[str, Counter[bool]] = {}
    kinds: dict[str, Kind] = {}
    for conflict, right in fired:
        kind = kind_of(conflict)
        kinds[conflict.rule] = kind
        tries[kind][right] += 1
        of_rule.setdefault(conflict.rule, Counter())[right] += 1
    shares = {kind: (found[True] + 1) / (found.total() + 2) for kind, found in tries.items()}
    rules = {
        name: round(
            math.log(
                (found[True] + _PRIOR * shares[kinds[name]]) / (found[False] + _PRIOR * (1 - shares[kinds[name]]))
            ),
            _DECIMALS,
        )
        for name, found in sorted(of_rule.items())
    }
    return RuleTrust(rules, {kind: round(math.log(share / (1 - share)), _DECIMALS) for kind, share in shares.items()})


def is_shipped(conflict: Conflict) -> bool:
    """Whether a conflict's rule is one of the package's own."""
    file = conflict.proof.file
    # Files of one's own are named by their paths.
    return file is not None and file == Path(file).name and (SHIPPED / file).is_file()
