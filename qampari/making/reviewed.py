"""What people said of made questions, as a run follows it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from qampari.making.wording import WordedQuestion


@dataclass(frozen=True, slots=True)
class ReviewedQuestions:
    """By keys of queries (`splitting.key_of_query`): what is left out, and what is worded badly.

    wordings: better words for a question, "" where nobody has found any yet.
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
