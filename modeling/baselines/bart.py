"""AmbigQA's models that generate: SpanSeqGen (A89), with questions (A90), and Disambig-first."""

from collections.abc import Mapping, Sequence

from modeling import engines, inputs, outputs
from modeling.base import (
    ANSWERS,
    PAIRS,
    PASSAGES,
    BaselineQuestion,
    Corpus,
    Prediction,
    ShortAnswer,
)
from modeling.baselines.questions import QD_OPTIONS, Disambiguator, list_written_roles
from modeling.baselines.weighted import (
    QuestionPassages,
    ReadingBaseline,
    add_token_counts,
    mark_if_unanswered,
)
from modeling.engines.base import GeneratedText, Limits
from modeling.options import parse_share

_ANSWERS = Limits(tokens_in=inputs.BART_TOKENS, tokens_out=100, beams=4)
_QUESTIONS = Limits(tokens_in=inputs.BART_TOKENS, tokens_out=200, beams=4)
CUTOFF = 0.5


class SpanSeqGen(ReadingBaseline):
    """All answers in one go, from as many passages as have room in 1,024 tokens.

    The paper decodes with beams and does not say how many: four, as its code has.
    """

    key = "span-seq-gen"
    label = "SpanSeqGen"
    gives = frozenset({PASSAGES, ANSWERS})
    roles: tuple[str, ...] = ("span-seq-gen",)
    top = 20

    def _read(self, together: Sequence[QuestionPassages]) -> list[Prediction]:
        texts = [inputs.span_seq_gen(read.question.question, read.passages) for read in together]
        written = engines.load_generator(self._weights["span-seq-gen"]).generate(texts, _ANSWERS)
        return [_answered(*both) for both in zip(together, written, strict=True)]


class SpanSeqGenQD(SpanSeqGen):
    """SpanSeqGen, then a question for each answer, from the same passages."""

    key = "span-seq-gen-qd"
    label = "SpanSeqGen with questions"
    gives = SpanSeqGen.gives | {PAIRS}
    roles: tuple[str, ...] = ("span-seq-gen", "qd")
    more = (*SpanSeqGen.more, *QD_OPTIONS)
    number = 2

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        self.roles = list_written_roles(self.roles, options)
        super().__init__(corpus, options)
        self._disambiguator = Disambiguator(self._weights.get("qd"), options)

    def _read(self, together: Sequence[QuestionPassages]) -> list[Prediction]:
        return self._disambiguator.pair_predictions(together, super()._read(together))


class DisambigFirst(ReadingBaseline):
    """Questions first, without passages, then an answer to each from the extractive reader (A91).

    A classifier says whether the question is ambiguous. If it is not, or if fewer than two
    questions are written, the question itself is answered. Option `cutoff`: how likely it has to be
    ambiguous, from 0 to 1; 0.5 without it.
    """

    key = "disambig-first"
    label = "Disambig-first"
    gives = frozenset({ANSWERS, PAIRS})
    roles = ("disambig-first", "ambiguity", "reader")
    more = (*ReadingBaseline.more, "cutoff")
    number = 2
    top = 100

    def __init__(self, corpus: Corpus | None, options: Mapping[str, str]) -> None:
        super().__init__(corpus, options)
        self._cutoff = parse_share(options, "cutoff", CUTOFF)

    def _together(self, asked: Sequence[BaselineQuestion]) -> list[Prediction]:
        texts = [inputs.disambig_first(question.question) for question in asked]
        likelihoods = engines.load_classifier(self._weights["ambiguity"]).predict_likelihoods(texts)
        ambiguous = [
            text
            for text, likelihood in zip(texts, likelihoods, strict=True)
            if likelihood > self._cutoff
        ]
        written = iter(self._written(ambiguous))
        return [
            self._predict(question, next(written) if likelihood > self._cutoff else None)
            for question, likelihood in zip(asked, likelihoods, strict=True)
        ]

    def _written(self, texts: Sequence[str]) -> list[GeneratedText]:
        if not texts:
            return []
        return engines.load_generator(self._weights["disambig-first"]).generate(texts, _QUESTIONS)

    def _predict(self, question: BaselineQuestion, written: GeneratedText | None) -> Prediction:
        questions = outputs.parse_questions(written.text) if written else ()
        if len(questions) < 2:
            questions = (question.question,)
        answers = {text: answer for text in questions if (answer := self._answer(text))}
        pairs = outputs.build_pairs(list(answers), list(answers.values()))
        prediction = Prediction(
            question.id, answers=outputs.merge_answers(answers.values()), pairs=pairs
        )
        problem = "The reader found no answer in the passages."
        return mark_if_unanswered(add_token_counts(prediction, *filter(None, [written])), problem)

    def _answer(self, question: str) -> ShortAnswer | None:
        passages = self._corpus.search(question, self.passages_read)
        spans = engines.load_reader(self._weights["reader"]).find_spans(question, passages, 1)
        return next(iter(outputs.build_span_answers(spans, passages)), None)


def _answered(read: QuestionPassages, written: GeneratedText) -> Prediction:
    answers = outputs.locate_answers(outputs.parse_separated_answers(written.text), read.passages)
    prediction = Prediction(read.question.id, read.passages, answers)
    return mark_if_unanswered(add_token_counts(prediction, written))
