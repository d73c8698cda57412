"""Verdicts on triples: the sentence that shows one best, and how surely it does. Pure."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from qampari.making.evidence import EvidenceWindow, ReadsPages, find_windows
from qampari.making.judging import EvidenceJudge
from qampari.making.queries import Triple
from qampari.making.wording import write_statement
from wikipedia.wikidata.graph import NamedEntity

# At which it is said how many facts have evidence; the first is that of QAMPARI's code.
THRESHOLDS: Final = (0.00195, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True, slots=True)
class TripleVerdict:
    """The sentence that shows a triple best, and how surely: from 0 to 1.

    window: None where no sentence names both entities; sentences: how many were judged.
    """

    score: float
    window: EvidenceWindow | None
    sentences: int


class KeepsVerdicts(Protocol):
    """Where verdicts are kept."""

    def find(self, triple: Triple) -> TripleVerdict | None:
        """Return the verdict on a triple, None where there is none yet."""
        ...

    def keep(self, triple: Triple, verdict: TripleVerdict) -> None:
        """Keep a verdict."""
        ...


class VerdictsInMemory:
    """Verdicts of this process alone."""

    def __init__(self) -> None:
        self._verdicts: dict[Triple, TripleVerdict] = {}

    def find(self, triple: Triple) -> TripleVerdict | None:
        return self._verdicts.get(triple)

    def keep(self, triple: Triple, verdict: TripleVerdict) -> None:
        self._verdicts[triple] = verdict


class TripleJudge:
    """Judges triples, each once: the same one belongs to several questions.

    Windows are judged in their order, all of one triple together, so that a model that depends on
    what else it reads says the same in every run. The best one is the proof, so that a verdict
    holds for every threshold; QAMPARI's code takes the first one above its own.
    """

    def __init__(
        self,
        pages: ReadsPages,
        judge: EvidenceJudge,
        threshold: float,
        kept: KeepsVerdicts | None = None,
    ) -> None:
        self._pages, self._judge, self._threshold = pages, judge, threshold
        self._kept = VerdictsInMemory() if kept is None else kept
        self._asked: dict[Triple, tuple[float, int]] = {}

    def __len__(self) -> int:
        """How many triples were asked about."""
        return len(self._asked)

    @property
    def sentences(self) -> int:
        """How many sentences the verdicts on them rest on, whenever they were judged."""
        return sum(sentences for _, sentences in self._asked.values())

    def count_scores(self) -> dict[str, Any]:
        """Return how many facts have a sentence, and how many at each of some thresholds."""
        found = [score for score, sentences in self._asked.values() if sentences]
        return {
            "facts": len(self._asked),
            "with_sentence": len(found),
            "levels": [
                {"threshold": level, "facts": sum(score >= level for score in found)}
                for level in THRESHOLDS
            ],
        }

    def find_verdict(self, triple: Triple, entities: dict[int, NamedEntity]) -> TripleVerdict:
        """Return the verdict on a triple. entities: at least its two, by number."""
        verdict = self._kept.find(triple)
        if verdict is None:
            verdict = self._judge_triple(triple, entities)
            self._kept.keep(triple, verdict)
        self._asked[triple] = (verdict.score, verdict.sentences)
        return verdict

    def is_supported(self, triple: Triple, entities: dict[int, NamedEntity]) -> bool:
        """Return whether a triple has evidence at the threshold."""
        verdict = self.find_verdict(triple, entities)
        return verdict.window is not None and verdict.score >= self._threshold

    def _judge_triple(self, triple: Triple, entities: dict[int, NamedEntity]) -> TripleVerdict:
        windows = list(find_windows(self._pages, triple, entities))
        if not windows:
            return TripleVerdict(0.0, None, 0)
        names = {number: entities[number].label or "" for number in (triple.item, triple.value)}
        statement = write_statement(triple, names)
        scores = self._judge.score_windows(triple, statement, windows)
        best = max(range(len(scores)), key=scores.__getitem__)  # of equal ones the first
        return TripleVerdict(scores[best], windows[best], len(windows))
