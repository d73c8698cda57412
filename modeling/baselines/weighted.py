"""What baselines with weights share: roles, a version, a few questions at a time, passages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from modeling import weights
from modeling.base import ArticlePassage, BaselineQuestion, Corpus, Prediction
from modeling.engines.base import GeneratedText
from modeling.options import check_names, parse_whole_number
from modeling.retrieval import RETRIEVAL_OPTIONS, build_searcher

MOST_PASSAGES: Final = 200
_AT_ONCE = 16  # questions; engines sort what they are given by length
_NONE_FOUND = "No passage has a word of the question."
_NO_ANSWER = "The model gave no answer."


class QuestionPassages(NamedTuple):
    """A question with the passages that a model reads for it, at least one."""

    question: BaselineQuestion
    passages: tuple[ArticlePassage, ...]


class WeightedBaseline:
    """A baseline whose weights are looked up when it is made, and loaded by its first question.

    roles: those of its weights. The option `model` names the weights of the first role, an option
    with the name of the role those of another; `trained` says what they were trained on, for
    tables that tell systems apart by it (A97). more: names of its other options. number: to be
    raised when the same weights may give another prediction.
    """

    key: str
    label: str
    gives: frozenset[str]
    roles: tuple[str, ...]
    more: tuple[str, ...] = ()
    number = 1

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        first, *others = self.roles
        check_names(options, *self.more, "model", *others, "trained")
        names = {first: "model"} | {role: role for role in others}
        self._weights = {
            role: weights.get_weights(role, options.get(names[role], "")) for role in names
        }

    @property
    def version(self) -> str:
        """The number, and what stands for the files of the weights."""
        return weights.combine_versions(self.number, *self._weights.values())

    def predict(self, asked: Sequence[BaselineQuestion]) -> Iterator[Prediction]:
        for start in range(0, len(asked), _AT_ONCE):
            yield from self._together(asked[start : start + _AT_ONCE])

    def _together(self, asked: Sequence[BaselineQuestion]) -> Sequence[Prediction]:
        """Return the predictions for a few questions, in order."""
        raise NotImplementedError


class ReadingBaseline(WeightedBaseline):
    """A baseline whose model reads passages. A question without any has a problem.

    top: how many passages it reads unless the option `passages` says otherwise.
    """

    more: tuple[str, ...] = ("passages", *RETRIEVAL_OPTIONS)
    top: int

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        super().__init__(corpus, options)
        self._corpus = build_searcher(corpus, options, self.label)
        self.passages_read = parse_whole_number(options, "passages", self.top, most=MOST_PASSAGES)

    def _search(self, question: BaselineQuestion) -> Sequence[ArticlePassage]:
        return self._corpus.search(question.question, self.passages_read)

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        together = [QuestionPassages(question, tuple(self._search(question))) for question in asked]
        predictions = iter(self._read([read for read in together if read.passages]))
        return [
            next(predictions)
            if read.passages
            else Prediction(read.question.id, problem=self._none_found())
            for read in together
        ]

    def _none_found(self) -> str:
        return _NONE_FOUND

    def _read(self, together: Sequence[QuestionPassages]) -> Sequence[Prediction]:
        """Return the predictions for questions that have passages, in order."""
        raise NotImplementedError


def mark_if_unanswered(prediction: Prediction, problem: str = _NO_ANSWER) -> Prediction:
    """Return a prediction, or one with only a problem where it has passages at best."""
    if prediction.answers or prediction.pairs or prediction.long_answer:
        return prediction
    return Prediction(
        prediction.id,
        tokens_in=prediction.tokens_in,
        tokens_out=prediction.tokens_out,
        cost=prediction.cost,
        problem=prediction.problem or problem,
    )


def add_token_counts(prediction: Prediction, *written: GeneratedText) -> Prediction:
    """Return a prediction with the tokens of these texts added."""
    return replace(
        prediction,
        tokens_in=prediction.tokens_in + sum(text.tokens_in for text in written),
        tokens_out=prediction.tokens_out + sum(text.tokens_out for text in written),
    )
