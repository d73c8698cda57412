"""Verdicts on answers without a model: words of the answer and the question in one sentence."""

import re
from collections.abc import Iterator, Mapping, Sequence

from metrics.text import normalise_text
from modeling.base import (
    CORRECT,
    DOUBTFUL,
    VERDICTS,
    AnswerVerdict,
    BaselineQuestion,
    CandidateAnswer,
    Corpus,
    Prediction,
)
from modeling.options import check_names, parse_share

NO_CANDIDATES = "There is no answer to check."
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_ENOUGH = 0.5
# Words that say nothing of what is asked.
_EMPTY = frozenset(
    normalise_text(
        "are as at be by did do does for from had has have how in is it its of on or that their "
        "this to was were what when where which who whom whose why with"
    ).split()
)


class WordsInEvidence:
    """No model: an answer is correct where one sentence of its evidence has the answer, or another
    form of it, and enough of the question's words; those in the title of the page count, too.

    Option `share`: how many of the question's words are enough, half of them unless it says so.
    """

    key = "words-in-evidence"
    label = "Words in one sentence (no model)"
    version = "1"
    gives = frozenset({VERDICTS})

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        check_names(options, "share")
        self._enough = parse_share(options, "share", _ENOUGH)

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        for question in asked:
            verdicts = tuple(self._judge(question, each) for each in question.candidates)
            problem = "" if verdicts else NO_CANDIDATES
            yield Prediction(question.id, verdicts=verdicts, problem=problem)

    def _judge(self, question: BaselineQuestion, answer: CandidateAnswer) -> AnswerVerdict:
        asked = set(normalise_text(question.question).split()) - _EMPTY
        forms = [
            f" {key} " for form in (answer.text, *answer.aliases) if (key := normalise_text(form))
        ]
        best = AnswerVerdict(answer.text, DOUBTFUL, score=0.0)
        for passage in answer.evidence:
            title = set(normalise_text(passage.title).split())
            for sentence in split_sentences(passage.text):
                words = normalise_text(sentence)
                if not any(form in f" {words} " for form in forms):
                    continue
                found = asked & (title | set(words.split()))
                share = len(found) / len(asked) if asked else 1.0
                if not best.sentence or share > (best.score or 0.0):
                    verdict = CORRECT if share >= self._enough else DOUBTFUL
                    best = AnswerVerdict(answer.text, verdict, sentence, passage.title, share)
        return best


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, roughly: cut after full stops, question and other marks."""
    return [part for part in map(str.strip, _SENTENCE.split(text)) if part]
