"""What WordNet and the data sets would add to the lexicon, or dispute in it: a list for an editor to read.

Nothing is written to the rules: WordNet's first sense is wrong for many household words (to it a range is an extent, a
printer a person and a burger a judge), so an editor decides. Run it as::

    python -m disproof.rules.sources.survey missing DATA   # frequent nouns that things.lp lacks, with likely kinds
    python -m disproof.rules.sources.survey disputed       # kinds that the first sense contradicts
    python -m disproof.rules.sources.survey synonyms       # names of one synset that synonyms.lp does not pair

It needs WordNet 3.0's text files (Debian: ``apt-get install wordnet-base``); ``missing`` reads DATA, which holds
``piqa/train.jsonl.gz`` and ``trip/dev.jsonl.gz``, and only counts words.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Final

from .tidy import RULES, read_facts

# The kind that a synset (and so all below it) suggests, as "first word of the synset, lexicographer file".
SUGGESTS: Final = {
    ("person", 3): "person", ("animal", 3): "animal", ("body part", 8): "body_part", ("food", 3): "food",
    ("food", 13): "food", ("beverage", 13): "drink", ("liquid", 27): "liquid", ("powder", 27): "powder",
    ("container", 6): "container", ("device", 6): "tool", ("machine", 6): "machine", ("vehicle", 6): "vehicle",
    ("edge tool", 6): "cutting_tool", ("cooking utensil", 6): "cookware", ("crockery", 6): "dish",
    ("cutlery", 6): "cutlery", ("furniture", 6): "furniture", ("clothing", 6): "clothing", ("footwear", 6): "footwear",
    ("jewelry", 6): "jewelry", ("bedclothes", 6): "bedding", ("plaything", 6): "toy", ("fabric", 6): "textile",
    ("musical instrument", 6): "instrument", ("building", 6): "building", ("room", 6): "room", ("plant", 3): "plant",
    ("ball", 6): "ball", ("lamp", 6): "light", ("weapon", 6): "weapon", ("fastener", 6): "fastener",
    ("cleansing agent", 6): "cleaning_agent", ("home appliance", 6): "device", ("medicine", 6): "medicine",
    ("electronic equipment", 6): "device", ("writing implement", 6): "writing_tool", ("geographical area", 15): "place",
}  # fmt: skip

# Lexicographer files (WordNet's lexnames) that go with a kind: 5 animal, 6 artefact, 8 body, 13 food, 14 group,
# 15 location, 17 object, 18 person, 20 plant, 27 substance; 3 holds the top concepts.
AGREES: Final = {
    "person": {3, 14, 18}, "animal": {3, 5, 13}, "body_part": {5, 8}, "food": {3, 5, 13, 20, 27}, "drink": {13, 27},
    "plant": {3, 20}, "place": {6, 14, 15, 17}, "clothing": {6}, "vehicle": {6}, "tool": {6}, "furniture": {6},
    "device": {6},
}  # fmt: skip
PHYSICAL: Final = frozenset({3, 5, 6, 8, 13, 15, 17, 18, 20, 27})


@dataclass(frozen=True)
class Synset:
    """One sense: its words, the number of its lexicographer file, and the offsets of its hypernyms."""

    words: tuple[str, ...]
    file: int
    hypernyms: tuple[str, ...]


class WordNet:
    """The nouns of WordNet's ``index.noun``, ``data.noun`` and ``noun.exc``."""

    def __init__(self, folder: Path) -> None:
        """Read the three files of ``folder``; OSError when one is absent."""
        rows = [line.split() for line in self._lines(folder / "index.noun")]
        self.senses = {row[0].replace("_", " "): tuple(row[-int(row[2]) :]) for row in rows}
        self.synsets = dict(self._synset(line) for line in self._lines(folder / "data.noun"))
        self.irregular = dict(line.split()[:2] for line in self._lines(folder / "noun.exc"))

    @staticmethod
    def _lines(path: Path) -> Iterator[str]:
        with path.open(encoding="utf-8") as file:
            yield from (line for line in file if not line.startswith(" "))  # the licence is indented

    @staticmethod
    def _synset(line: str) -> tuple[str, Synset]:
        row = line.partition(" | ")[0].split()
        end = 4 + 2 * int(row[3], 16)
        words = tuple(word.replace("_", " ").lower() for word in row[4:end:2])
        pointers = zip(row[end + 1 :: 4], row[end + 2 :: 4], strict=False)
        return row[0], Synset(words, int(row[1]), tuple(offset for mark, offset in pointers if mark in ("@", "@i")))

    def first(self, noun: str) -> Synset | None:
        """The commonest sense of a noun, if WordNet has it."""
        return self.synsets[self.senses[noun][0]] if noun in self.senses else None

    def kinds(self, synset: Synset) -> set[str]:
        """The kinds that a sense and all above it suggest."""
        found = {SUGGESTS[synset.words[0], synset.file]} if (synset.words[0], synset.file) in SUGGESTS else set()
        return found.union(*(self.kinds(self.synsets[offset]) for offset in synset.hypernyms))

    def lemma(self, word: str) -> str | None:
        """The noun of which ``word`` is a form; a word that is itself a noun is its own."""
        endings = (("", ""), ("ches", "ch"), ("shes", "sh"), ("ses", "s"), ("xes", "x"), ("ies", "y"), ("s", ""))
        forms = [self.irregular.get(word, "")]
        forms += [word[: len(word) - len(a)] + b for a, b in endings if word.endswith(a)]
        return next((form for form in forms if form in self.senses), None)


def words_of(data: Path) -> Iterator[list[str]]:
    """The runs of words between punctuation in PIQA's goals and solutions and in TRIP's sentences."""
    for name, fields in (("piqa/train.jsonl.gz", ("goal", "sol1", "sol2")), ("trip/dev.jsonl.gz", ("sentence_texts",))):
        with gzip.open(data / name, "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                text = " . ".join(t for f in fields for t in (row[f] if isinstance(row[f], list) else [row[f]]))
                yield from (re.findall(r"[a-z]+(?:-[a-z]+)*", run) for run in re.split(r"[^a-z -]+", text.lower()))


def missing(wordnet: WordNet, known: set[str], data: Path, least: int) -> Iterator[str]:
    """Physical nouns of one or two words met at least ``least`` times and not in the lexicon, the commonest first."""
    counts: Counter[str] = Counter()
    for run in words_of(data):
        lemmas = [wordnet.lemma(word) for word in run]
        counts.update(lemma for lemma in lemmas if lemma)
        counts.update(f"{a} {b}" for a, b in zip(run, lemmas[1:], strict=False) if f"{a} {b}" in wordnet.senses)
    for noun, count in counts.most_common():
        synset = wordnet.first(noun)
        if count >= least and len(noun) > 2 and noun not in known and synset and synset.file in PHYSICAL:
            yield f"{count:6} {noun}: {', '.join(sorted(wordnet.kinds(synset))) or '?'}"


def disputed(wordnet: WordNet, kinds: dict[str, set[str]]) -> Iterator[str]:
    """Nouns with a kind that does not go with their first sense."""
    for noun, own in sorted(kinds.items()):
        synset = wordnet.first(noun)
        wrong = sorted(kind for kind in own if synset and synset.file not in AGREES.get(kind, {synset.file}))
        if synset and wrong:
            yield f"{noun}: {', '.join(wrong)}; WordNet: {', '.join(synset.words)} (file {synset.file})"


def unpaired(wordnet: WordNet, kinds: dict[str, set[str]], paired: set[frozenset[str]]) -> Iterator[str]:
    """Pairs of lexicon nouns that share a synset and a kind, but no synonym or near_synonym fact."""
    for synset in wordnet.synsets.values():
        for a, b in combinations(sorted({word for word in synset.words if word in kinds}), 2):
            if kinds[a] & kinds[b] - {"abstract"} and frozenset((a, b)) not in paired:
                yield f'synonym("{a}", "{b}").  % {", ".join(synset.words)}'


def main() -> int:
    """Print one of the three lists."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("missing", "disputed", "synonyms"))
    parser.add_argument("data", type=Path, nargs="?", help="the data folder (for missing)")
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--least", type=int, default=8, help="how often a missing noun must occur (default 8)")
    args = parser.parse_args()
    if args.what == "missing" and args.data is None:
        parser.error("missing needs the data folder")
    kinds: dict[str, set[str]] = {}
    for fact in read_facts(RULES / "things.lp"):
        kinds.setdefault(fact.first, set()).add(fact.second)
    try:
        wordnet = WordNet(args.wordnet)
        if args.what == "missing":
            lines = list(missing(wordnet, set(kinds), args.data, args.least))
        elif args.what == "disputed":
            lines = list(disputed(wordnet, kinds))
        else:
            pairs = {frozenset((fact.first, fact.second)) for fact in read_facts(RULES / "synonyms.lp")}
            lines = list(unpaired(wordnet, kinds, pairs))
    except OSError as error:
        sys.stderr.write(f"{error.filename}: cannot be read; give --wordnet and the data folder\n")
        return 2
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
