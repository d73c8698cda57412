"""The accepted answers of questions, as scores, baselines and panels take them."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.models import Question
from metrics.qampari import QampariAnswer
from metrics.retrieval import TitledPassage
from metrics.text import answer_key
from qampari import paraphrases, rows
from qampari.figures import GoldQuestion
from qampari.records import RecordAnswer
from qampari.sheets import page_of
from qampari.verdicts import accepted_of, read_judged_answers


@dataclass(frozen=True, slots=True)
class AcceptedList:
    """A question with the answers that are accepted for it, and its paraphrase, "" without one."""

    question: Question
    answers: tuple[RecordAnswer, ...]
    paraphrase: str

    @property
    def text(self) -> str:
        """The question as a release has it."""
        return self.paraphrase or self.question.prompt

    def as_gold(
        self, added: Sequence[str] | None = None, *, suggested: bool = False
    ) -> GoldQuestion:
        """Return it as figures take it.

        added: what people added to it for the extended set; suggested: whether they were shown
        suggestions of a model.
        """
        known = {answer_key(form) for answer in self.answers for form in answer.forms}
        new = {answer_key(text): text for text in reversed(added or ())}
        return GoldQuestion(
            id=self.question.external_id,
            kind=_kind(self.question.external_id),
            split=self.question.split,
            text=self.text,
            answers=tuple(QampariAnswer(answer.text, answer.forms) for answer in self.answers),
            generated=self.question.prompt if self.paraphrase else "",
            added=None
            if added is None
            else tuple(
                QampariAnswer(text, ()) for key, text in new.items() if key and key not in known
            ),
            evidence=tuple(
                tuple(TitledPassage(page_of(proof.url), proof.text) for proof in answer.proofs)
                for answer in self.answers
            ),
            suggested=suggested,
        )


def read_accepted_lists(questions: Sequence[Question]) -> list[AcceptedList]:
    """Return the questions of these whose answers are accepted, in their order. Two queries."""
    accepted = [row for row in questions if row.state == Question.State.ACCEPTED]
    texts = paraphrases.read_accepted_texts(row.pk for row in accepted)
    said = read_judged_answers(row.pk for row in accepted)
    found = []
    for row in accepted:
        answers = rows.record_of(row).answers
        if row.pk in said:
            kept = accepted_of(said[row.pk])
            answers = tuple(answer for place, answer in enumerate(answers) if place in kept)
        found.append(AcceptedList(row, answers, texts.get(row.pk, "")))
    return found


def _kind(qid: str) -> str:
    parts = qid.split("__")
    return parts[1] if len(parts) > 1 else ""
