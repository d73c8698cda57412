"""The reader for Disambig-F1, as `evaluation` scores with it."""

from collections.abc import Sequence
from typing import Final

from evaluation.scores.reading import AnswerReader, NoReader, ReaderOption
from modeling import weights
from modeling.base import MissingModel

KEY: Final = "squad"
ROLE: Final = "disambig-f1"
_NUMBER: Final = 1  # to be raised when the same weights may give another answer


class Squad:
    """ASQA's reader: RoBERTa, trained on SQuAD 2.0, unless the role names other weights."""

    def __init__(self) -> None:
        try:
            self._weights = weights.get_weights(ROLE, may_be_fast=False)
        except MissingModel as problem:
            raise NoReader(str(problem)) from None
        called = self._weights.name.replace("|", " ")[-80:]
        self.name = f"{called} {weights.combine_versions(_NUMBER, self._weights)}"

    def read_answers(self, asked: Sequence[tuple[str, str]]) -> list[str]:
        """Return an answer for each question and text, "" for none."""
        from modeling import engines  # loads numpy

        try:
            return engines.load_answerer(self._weights).read_answers(asked)
        except MissingModel as problem:
            raise NoReader(str(problem)) from None


def _open() -> AnswerReader:
    return Squad()


SQUAD: Final = ReaderOption(KEY, "RoBERTa for SQuAD 2.0", _open, "modeling.tasks.run_job")
