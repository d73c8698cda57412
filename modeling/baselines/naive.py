"""A lower bound: the question instead of an answer."""

from collections.abc import Iterator, Mapping, Sequence

from metrics import asqa
from modeling.base import LONG_ANSWER, BaselineQuestion, Corpus, Prediction
from modeling.options import check_names


class QuestionX8:
    """ASQA's QUESTION (S51): the question eight times, as the long answer."""

    key = "question-x8"
    label = "Question, eight times"
    version = "1"
    gives = frozenset({LONG_ANSWER})

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        check_names(options)

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        for question in asked:
            yield Prediction(question.id, long_answer=asqa.repeat_question(question.question))
