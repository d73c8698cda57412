"""What people said of made questions, as a run follows it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from qampari.making.wording import WordedQuestion

# Why a question is left out, as `left_out.REASON_WORDS` says it.
REFUSED: Final = "refused"


@dataclass(frozen=True, slots=True)
class ReviewedQuestions:
    """What is left out, and what is worded badly, by keys of queries.

    A key is `splitting.key_of_query` or `TableQuestion.key`; wordings: better words for a
    question, "" where nobody has found any yet.
    """

    left_out: frozenset[str] = frozenset()
    wordings: Mapping[str, str] = field(default_factory=dict)

    def reword(self, key: str, question: WordedQuestion) -> WordedQuestion:
        """Return the question in the words that a person gave it, else as it is.

        One whose wording is off and that has no better words needs a paraphrase.
        """
        if key not in self.wordings:
            return question
        text = self.wordings[key]
        return WordedQuestion(text or question.text, needs_paraphrase=not text)


NOTHING_REVIEWED: Final = ReviewedQuestions()
