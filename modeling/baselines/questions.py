"""Question disambiguation (A90): the question of each answer."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Final

from modeling import engines, inputs, outputs
from modeling.base import Prediction, ShortAnswer
from modeling.baselines.weighted import QuestionPassages, add_token_counts
from modeling.engines.base import GeneratedText, Limits
from modeling.options import one_of
from modeling.weights import Weights, read_recipe

QD_OPTIONS: Final = ("separator", "without")
_QD: Final = "qd"
_NOTHING = "nothing"
_WITHOUT: Final = (_NOTHING, *inputs.ABLATIONS, inputs.ALWAYS_PROMPT)
_SEPARATORS = (inputs.SEPARATOR, "<SEP>")
_LIMITS = Limits(tokens_in=inputs.BART_TOKENS, tokens_out=64, beams=4)


def list_written_roles(roles: Sequence[str], options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the roles of a baseline whose weights are used: not QD where nothing is written."""
    asked = options.get("without", "").strip() == inputs.ALWAYS_PROMPT
    return tuple(role for role in roles if not (asked and role == _QD))


class Disambiguator:
    """Writes a question for each answer of a prediction, from the question that was asked.

    Option `separator`: the mark between answers in the input, as the weights have been trained.
    Option `without`: what they do not read, “prompt”, “others” or “nothing” (A96); as they were
    trained where it is not given. “answers”: nothing is written, and no weights are needed; each
    answer has the question as asked, which the paper compares with.
    """

    def __init__(self, weights: Weights | None, options: Mapping[str, str]) -> None:
        """weights: those that `list_written_roles` asks for, None where it asks for none."""
        self._weights = weights
        self._separator = one_of(options, "separator", _SEPARATORS)
        trained = (read_recipe(weights).get("without") if weights else "") or _NOTHING
        wanted = one_of(options, "without", _WITHOUT)
        self._without = wanted if options.get("without", "").strip() else trained

    def pair_predictions(
        self, together: Sequence[QuestionPassages], predictions: Sequence[Prediction]
    ) -> list[Prediction]:
        """Return the predictions with pairs. A single answer is one to the question as asked."""
        texts = [
            text
            for read, prediction in zip(together, predictions, strict=True)
            for text in self._inputs(read, prediction.answers)
        ]
        written = iter(self._generate(texts))
        paired = []
        for read, prediction in zip(together, predictions, strict=True):
            answers = prediction.answers
            if len(answers) > 1 and self._weights:
                own = list(islice(written, len(answers)))
                prediction = add_token_counts(prediction, *own)
                asked = [text.text for text in own]
            else:
                asked = [read.question.question] * len(answers)
            paired.append(replace(prediction, pairs=outputs.build_pairs(asked, answers)))
        return paired

    def _generate(self, texts: Sequence[str]) -> Sequence[GeneratedText]:
        if not self._weights or not texts:
            return ()
        return engines.load_generator(self._weights).generate(texts, _LIMITS)

    def _inputs(self, read: QuestionPassages, answers: Sequence[ShortAnswer]) -> list[str]:
        texts = [answer.text for answer in answers]
        if len(texts) < 2 or not self._weights:
            return []
        return [
            inputs.question_disambiguation(
                read.question.question,
                text,
                [*texts[:place], *texts[place + 1 :]],
                read.passages,
                self._separator,
                without=self._without,
            )
            for place, text in enumerate(texts)
        ]
