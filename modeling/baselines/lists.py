"""QAMPARI's readers, which answer with lists: FiD (Q22) and PIG (Q21)."""

from collections.abc import Mapping, Sequence
from itertools import islice

from modeling import engines, inputs, outputs
from modeling.base import ANSWERS, PASSAGES, ArticlePassage, BaselineQuestion, Corpus, Prediction
from modeling.baselines.weighted import (
    QuestionPassages,
    ReadingBaseline,
    add_token_counts,
    mark_if_unanswered,
)
from modeling.engines.base import Limits
from modeling.options import one_of

# 250 tokens of a passage are FiD's (Izacard and Grave 2021); how much is written is our choice.
_LIST = Limits(tokens_in=250, tokens_out=512)
_ONE = Limits(tokens_in=250, tokens_out=32)


class _Lists(ReadingBaseline):
    """Option `evidence`: `gold` to read the passages of the reference disambiguations (Q25)."""

    gives = frozenset({PASSAGES, ANSWERS})
    more = (*ReadingBaseline.more, "evidence")

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        super().__init__(corpus, options)
        self._gold = one_of(options, "evidence", ("retrieved", "gold")) == "gold"

    def _search(self, question: BaselineQuestion) -> Sequence[ArticlePassage]:
        if not self._gold:
            return super()._search(question)
        answers = [answer for pair in question.disambiguations for answer in pair.answers]
        passages = dict.fromkeys(answer.passage for answer in answers if answer.passage)
        return list(passages)[: self.passages_read]

    def _none_found(self) -> str:
        if self._gold:
            return "The reference disambiguations come without passages."
        return super()._none_found()


class FusionInDecoder(_Lists):
    """FiD: encodes each passage with the question, and writes one list from all of them."""

    key = "fid"
    label = "Fusion-in-Decoder"
    roles = ("fid",)
    top = 50

    def _read(self, together: Sequence[QuestionPassages]) -> list[Prediction]:
        texts = [inputs.fid_inputs(read.question.question, read.passages) for read in together]
        written = (
            engines.load_fused_generator(self._weights["fid"]).generate(texts, _LIST)
            if texts
            else ()
        )
        predictions = []
        for (question, passages), text in zip(together, written, strict=True):
            answers = outputs.locate_answers(outputs.parse_fid_answers(text.text), passages)
            prediction = Prediction(question.id, passages, answers)
            predictions.append(mark_if_unanswered(add_token_counts(prediction, text)))
        return predictions


class PassageIndependent(_Lists):
    """PIG: an answer or none from each passage alone; all different ones are the list."""

    key = "pig"
    label = "Passage-independent generator"
    roles = ("pig",)
    top = 200

    def _read(self, together: Sequence[QuestionPassages]) -> list[Prediction]:
        texts = [
            text
            for read in together
            for text in inputs.pig_inputs(read.question.question, read.passages)
        ]
        written = iter(engines.load_generator(self._weights["pig"]).generate(texts, _ONE))
        problem = "The model says of every passage that it is not relevant."
        predictions = []
        for question, passages in together:
            own = list(islice(written, len(passages)))
            answers = outputs.parse_pig_answers([text.text for text in own], passages)
            prediction = Prediction(question.id, passages, answers)
            predictions.append(mark_if_unanswered(add_token_counts(prediction, *own), problem))
        return predictions
