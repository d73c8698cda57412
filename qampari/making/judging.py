"""Whether a sentence shows an answer: by its words, where no model is.

A model of entailment says it better (QAMPARI, section 2.1; Q12). This judge is for trying, for
tests and for installations without models, and each verdict says that it is from it.
"""

import re
from collections.abc import Sequence
from typing import Final, Protocol

from qampari.making.evidence import EvidenceWindow
from qampari.making.queries import Triple
from wikipedia.text.folding import fold_words, lower_keeping_length

_WORD: Final = re.compile(r"[^\W\d_]+")
NEGATIONS: Final = frozenset({"not", "never", "neither", "nor", "without"})


class EvidenceJudge(Protocol):
    """What says how surely windows show a triple. key and version: what a verdict is kept under."""

    key: str
    version: str

    def score_windows(
        self, triple: Triple, statement: str, windows: Sequence[EvidenceWindow]
    ) -> list[float]:
        """Return a number from 0 to 1 for each window: how surely it shows the statement."""
        ...


class WordsJudge:
    """A sentence shows a relation if it has one of its words, and none that denies it.

    Which entities it names was looked for already: the window is on the page of one, and the
    sentence names the other. So 1 or 0, for the sentence without those before it, and without that
    name: a label called Records says nothing of a record.
    """

    key = "words"
    version = "2"

    def score_windows(
        self, triple: Triple, statement: str, windows: Sequence[EvidenceWindow]
    ) -> list[float]:
        return [float(_has_cue(window, triple.relation.cues)) for window in windows]


def _has_cue(window: EvidenceWindow, cues: Sequence[str]) -> bool:
    sentence, name = (
        lower_keeping_length(fold_words(text)) for text in (window.last_sentence, window.found)
    )
    words = _WORD.findall(sentence.replace(name, " ") if name else sentence)
    if NEGATIONS.intersection(words):
        return False
    return any(word.startswith(cue) for word in words for cue in cues)
