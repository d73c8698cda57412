"""Models that write one text: T5 closed book, open book, and with everything known.

The text is a long answer (ASQA), or where a list is asked for, its answers with number signs
between them (QAMPARI's closed book, Q23). `only_lists`: there are short answers only then.
"""

from collections.abc import Sequence
from dataclasses import replace

from modeling import engines, inputs, outputs
from modeling.base import ANSWERS, LONG_ANSWER, PASSAGES, BaselineQuestion, Prediction
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
LIST_TOKENS_OUT = 512  # as many as FiD has for its list
_BEAMS = 1


class Closed(WeightedBaseline):
    """T5-C (S54), and QAMPARI's closed book (Q23): T5 reads the question alone."""

    key = "t5-closed"
    label = "T5 closed book"
    gives = frozenset({ANSWERS, LONG_ANSWER})
    only_lists = True
    roles = ("t5-closed",)

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        texts = [inputs.t5_closed(question.question) for question in asked]
        limits = Limits(inputs.T5_CLOSED_TOKENS, _tokens_out(asked), _BEAMS)
        written = engines.load_generator(self._weights["t5-closed"]).generate(texts, limits)
        return [
            _answered(question, Prediction(question.id), text)
            for question, text in zip(asked, written, strict=True)
        ]


class Open1(ReadingBaseline):
    """T5-O-1 (S55): T5 reads the question and the best passage."""

    key = "t5-open-1"
    label = "T5 open book, 1 passage"
    gives = frozenset({PASSAGES, ANSWERS, LONG_ANSWER})
    only_lists = True
    roles = ("t5-open",)
    more = RETRIEVAL_OPTIONS
    top = 1

    def _read(self, together: Sequence[QuestionPassages]) -> list[Prediction]:
        texts = [inputs.t5_open(read.question.question, read.passages) for read in together]
        tokens_out = _tokens_out([read.question for read in together])
        limits = Limits(inputs.T5_OPEN_TOKENS[self.top], tokens_out, _BEAMS)
        written = engines.load_generator(self._weights["t5-open"]).generate(texts, limits)
        return [
            _answered(read.question, Prediction(read.question.id, read.passages), text)
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

    The paper does not say how long its context is: as that of T5-O-5. Whose knowledge it read is
    said with what it wrote, so that it is not scored against that writer (S41).
    """

    key = "oracle"
    label = "T5 with the reference disambiguations (oracle)"
    gives = frozenset({ANSWERS, LONG_ANSWER})
    only_lists = True
    roles = ("oracle",)
    number = 2

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        known = [question for question in asked if question.disambiguations]
        texts = [
            inputs.oracle_input(question.question, question.disambiguations, question.knowledge)
            for question in known
        ]
        limits = Limits(inputs.T5_OPEN_TOKENS[5], _tokens_out(known), _BEAMS)
        generator = engines.load_generator(self._weights["oracle"])
        written = iter(generator.generate(texts, limits) if texts else ())
        problem = "The question comes without reference disambiguations."
        return [
            _answered(
                question,
                Prediction(question.id, knowledge_of=question.knowledge_of),
                next(written),
            )
            if question.disambiguations
            else Prediction(question.id, problem=problem)
            for question in asked
        ]


def _tokens_out(asked: Sequence[BaselineQuestion]) -> int:
    return LIST_TOKENS_OUT if any(question.as_list for question in asked) else _TOKENS_OUT


def _answered(
    question: BaselineQuestion, prediction: Prediction, written: GeneratedText
) -> Prediction:
    whole = add_token_counts(prediction, written)
    if question.as_list:
        listed = outputs.parse_fid_answers(written.text)
        answers = outputs.locate_answers(listed, prediction.passages)
        return mark_if_unanswered(replace(whole, answers=answers))
    return mark_if_unanswered(replace(whole, long_answer=outputs.clean_long_answer(written.text)))
