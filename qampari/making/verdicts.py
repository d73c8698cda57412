"""Verdicts on triples: the sentence that shows one best, and how surely it does. Pure."""

from dataclasses import dataclass

from qampari.making.evidence import EvidenceWindow, ReadsPages, find_windows
from qampari.making.judging import EvidenceJudge
from qampari.making.queries import Triple
from qampari.making.wording import write_statement
from wikipedia.wikidata.graph import NamedEntity


@dataclass(frozen=True, slots=True)
class TripleVerdict:
    """The sentence that shows a triple best, and how surely: from 0 to 1.

    window: None where no sentence names both entities.
    """

    score: float
    window: EvidenceWindow | None


class TripleJudge:
    """Judges triples, each once: the same one belongs to several questions.

    Windows are judged in their order, all of one triple together, so that a model that depends on
    what else it reads says the same in every run. The best one is the proof, so that a verdict
    holds for every threshold; QAMPARI's code takes the first one above its own.
    """

    def __init__(self, pages: ReadsPages, judge: EvidenceJudge, threshold: float) -> None:
        self._pages, self._judge, self._threshold = pages, judge, threshold
        self._verdicts: dict[Triple, TripleVerdict] = {}
        self.windows_read = 0

    def __len__(self) -> int:
        return len(self._verdicts)

    def find_verdict(self, triple: Triple, entities: dict[int, NamedEntity]) -> TripleVerdict:
        """Return the verdict on a triple. entities: at least its two, by number."""
        if triple not in self._verdicts:
            self._verdicts[triple] = self._judge_triple(triple, entities)
        return self._verdicts[triple]

    def is_supported(self, triple: Triple, entities: dict[int, NamedEntity]) -> bool:
        """Return whether a triple has evidence at the threshold."""
        verdict = self.find_verdict(triple, entities)
        return verdict.window is not None and verdict.score >= self._threshold

    def _judge_triple(self, triple: Triple, entities: dict[int, NamedEntity]) -> TripleVerdict:
        windows = list(find_windows(self._pages, triple, entities))
        if not windows:
            return TripleVerdict(0.0, None)
        self.windows_read += len(windows)
        names = {number: entities[number].label or "" for number in (triple.item, triple.value)}
        statement = write_statement(triple, names)
        scores = self._judge.score_windows(triple, statement, windows)
        best = max(range(len(scores)), key=scores.__getitem__)  # of equal ones the first
        return TripleVerdict(scores[best], windows[best])
