"""ASQA's models that write long answers: T5 closed book, open book, and with everything known."""

from collections.abc import Sequence
from dataclasses import replace

from modeling import engines, inputs, outputs
from modeling.base import LONG_ANSWER, PASSAGES, BaselineQuestion, Prediction
from modeling.baselines.weighted import (
    QuestionPassages,
    ReadingBaseline,
    WeightedBaseline,
    add_token_counts,
    mark_if_unanswered,
)
from modeling.engines.base import GeneratedText, Limits
from modeling.retrieval import RETRIEVAL_OPTIONS

# The paper names neither: long answers have 65 words on average, and greedy is T5's default.
_TOKENS_OUT = 256
_BEAMS = 1


class Closed(WeightedBaseline):
    """T5-C (S54): T5 reads the question alone."""

    key = "t5-closed"
    label = "T5 closed book"
    gives = frozenset({LONG_ANSWER})
    roles = ("t5-closed",)

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        texts = [inputs.t5_closed(question.question) for question in asked]
        limits = Limits(inputs.T5_CLOSED_TOKENS, _TOKENS_OUT, _BEAMS)
        written = engines.load_generator(self._weights["t5-closed"]).generate(texts, limits)
        return [
            _answered(Prediction(question.id), text)
            for question, text in zip(asked, written, strict=True)
        ]


class Open1(ReadingBaseline):
    """T5-O-1 (S55): T5 reads the question and the best passage."""

    key = "t5-open-1"
    label = "T5 open book, 1 passage"
    gives = frozenset({PASSAGES, LONG_ANSWER})
    roles = ("t5-open",)
    more = RETRIEVAL_OPTIONS
    top = 1

    def _read(self, together: Sequence[QuestionPassages]) -> list[Prediction]:
        texts = [inputs.t5_open(read.question.question, read.passages) for read in together]
        limits = Limits(inputs.T5_OPEN_TOKENS[self.top], _TOKENS_OUT, _BEAMS)
        written = engines.load_generator(self._weights["t5-open"]).generate(texts, limits)
        return [
            _answered(Prediction(read.question.id, read.passages), text)
            for read, text in zip(together, written, strict=True)
        ]


class Open3(Open1):
    """T5-O-3: with three passages."""

    key = "t5-open-3"
    label = "T5 open book, 3 passages"
    top = 3


class Open5(Open1):
    """T5-O-5: with five passages."""

    key = "t5-open-5"
    label = "T5 open book, 5 passages"
    top = 5


class Oracle(WeightedBaseline):
    """ORACLE (S57): T5 reads the reference disambiguations, their passages and the knowledge.

    The paper does not say how long its context is: as that of T5-O-5.
    """

    key = "oracle"
    label = "T5 with the reference disambiguations (oracle)"
    gives = frozenset({LONG_ANSWER})
    roles = ("oracle",)

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        known = [question for question in asked if question.disambiguations]
        texts = [
            inputs.oracle_input(question.question, question.disambiguations, question.knowledge)
            for question in known
        ]
        limits = Limits(inputs.T5_OPEN_TOKENS[5], _TOKENS_OUT, _BEAMS)
        generator = engines.load_generator(self._weights["oracle"])
        written = iter(generator.generate(texts, limits) if texts else ())
        problem = "The question comes without reference disambiguations."
        return [
            _answered(Prediction(question.id), next(written))
            if question.disambiguations
            else Prediction(question.id, problem=problem)
            for question in asked
        ]


def _answered(prediction: Prediction, written: GeneratedText) -> Prediction:
    whole = add_token_counts(prediction, written)
    return mark_if_unanswered(replace(whole, long_answer=outputs.clean_long_answer(written.text)))
