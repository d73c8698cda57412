"""Answers that an extractive reader finds in passages: the best one, or all that are likely."""

from collections.abc import Mapping, Sequence

from modeling import engines, outputs
from modeling.base import ANSWERS, PAIRS, PASSAGES, Corpus, Prediction
from modeling.baselines.questions import QD_OPTIONS, Disambiguator, list_written_roles
from modeling.baselines.weighted import QuestionPassages, ReadingBaseline, mark_if_unanswered
from modeling.options import parse_share, parse_whole_number

_PASSAGES = 100  # as many as the papers retrieve
_SPANS = 50  # looked at; their likelihoods add up to 1 at most
THRESHOLD = 0.1


class Extractive(ReadingBaseline):
    """The likeliest span of the passages: the model of NQ-open (Karpukhin et al. 2020)."""

    key = "extractive"
    label = "Extractive reader"
    gives = frozenset({PASSAGES, ANSWERS})
    roles = ("reader",)
    top = _PASSAGES

    def _read(self, together: Sequence[QuestionPassages]) -> list[Prediction]:
        reader = engines.load_reader(self._weights["reader"])
        predictions = []
        for question, passages in together:
            spans = reader.find_spans(question.question, passages, 1)
            answers = outputs.build_span_answers(spans, passages)
            predictions.append(mark_if_unanswered(Prediction(question.id, passages, answers)))
        return predictions


class Thresholding(ReadingBaseline):
    """Every span that is likelier than γ (A92). Option `threshold`: γ, from 0 to 1.

    The paper tunes γ on dev and names no value; 0.1 is ours. Options `least` and `most`: how many
    answers are given whatever their likelihood; the released code has at least 1 and at most 3.
    """

    key = "thresholding"
    label = "Extractive reader with a threshold"
    gives = frozenset({PASSAGES, ANSWERS})
    roles: tuple[str, ...] = ("reader",)
    more: tuple[str, ...] = (*ReadingBaseline.more, "threshold", "least", "most")
    top = _PASSAGES

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        super().__init__(corpus, options)
        self._threshold = parse_share(options, "threshold", THRESHOLD)
        self._most = parse_whole_number(options, "most", _SPANS, most=_SPANS)
        self._least = parse_whole_number(options, "least", 0, most=self._most)

    def _read(self, together: Sequence[QuestionPassages]) -> list[Prediction]:
        reader = engines.load_reader(self._weights["reader"])
        problem = f"No span is likelier than {self._threshold:g}."
        predictions = []
        for question, passages in together:
            spans = reader.find_spans(question.question, passages, _SPANS)
            answers = outputs.filter_by_likelihood(
                outputs.build_span_answers(spans, passages),
                self._threshold,
                least=self._least,
                most=self._most,
            )
            predictions.append(
                mark_if_unanswered(Prediction(question.id, passages, answers), problem)
            )
        return predictions


class ThresholdingQD(Thresholding):
    """Thresholding, then a question for each answer (A90, A92)."""

    key = "thresholding-qd"
    label = "Extractive reader with a threshold, and questions"
    gives = Thresholding.gives | {PAIRS}
    roles: tuple[str, ...] = ("reader", "qd")
    more = (*Thresholding.more, *QD_OPTIONS)
    number = 2

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        self.roles = list_written_roles(self.roles, options)
        super().__init__(corpus, options)
        self._disambiguator = Disambiguator(self._weights.get("qd"), options)

    def _read(self, together: Sequence[QuestionPassages]) -> list[Prediction]:
        return self._disambiguator.pair_predictions(together, super()._read(together))
