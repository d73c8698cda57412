"""What the team says of made questions: decided, changed, and read by the runs that follow."""

import datetime as dt
from collections.abc import Collection
from dataclasses import dataclass

from django.db import IntegrityError, transaction

from accounts.models import User
from annotation.access.data import check_can_import
from annotation.core import audit
from annotation.core.refusals import Conflict
from annotation.models import Project, Question
from metrics.intervals import find_share_interval
from metrics.text import answer_key
from qampari.making import wording
from qampari.making.reviewed import ReviewedQuestions
from qampari.models import QuestionReview, SampledQuestion

Verdict = QuestionReview.Verdict
FASTER = "Someone else has decided on this question meanwhile. Their decision is shown now."


@dataclass(frozen=True, slots=True)
class ReviewFigures:
    """What was said of the questions of a sample. interval: of the share of good ones, if known."""

    good: int
    wording: int
    left_out: int
    interval: tuple[float, float] | None

    @property
    def judged(self) -> int:
        """How many were decided on."""
        return self.good + self.wording + self.left_out

    @property
    def share(self) -> float:
        """The share of good ones among those, 0 where there are none."""
        return self.good / self.judged if self.judged else 0.0


def read_reviewed(project: Project) -> ReviewedQuestions:
    """Return what runs of a project leave out and reword. One query."""
    rows = QuestionReview.objects.filter(project=project).exclude(verdict=Verdict.GOOD)
    said = list(rows.values_list("query", "verdict", "text"))
    return ReviewedQuestions(
        left_out=frozenset(query for query, verdict, _ in said if verdict == Verdict.LEFT_OUT),
        wordings={query: text for query, verdict, text in said if verdict == Verdict.WORDING},
    )


@transaction.atomic
def review_question(
    *,
    sampled: SampledQuestion,
    verdict: str,
    text: str = "",
    seen: int,
    by: User,
    now: dt.datetime,
) -> QuestionReview:
    """Decide on a made question, in place of what was decided before.

    text: better words, of which only those of a question whose wording is off are kept; seen: the
    version of the decision that the person saw, 0 where there was none. Staff only. Raises Conflict
    where another decision is there now, or where the words cannot be a question's.
    """
    project = sampled.job.project
    check_can_import(by, project)
    if verdict not in Verdict.values:
        raise Conflict(f"Choose {', '.join(Verdict.labels[:-1])} or {Verdict.labels[-1]}.")
    text = " ".join(text.split()) if verdict == Verdict.WORDING else ""
    if text and (problem := find_wording_problem(sampled, text)):
        raise Conflict(problem)
    said = {"question": sampled.text, "verdict": verdict, "text": text, "by": by, "at": now}
    own = QuestionReview.objects.filter(project=project, query=sampled.query)
    if seen:
        if not own.filter(version=seen).update(**said, version=seen + 1):
            raise Conflict(FASTER)
    else:
        try:
            with transaction.atomic():
                QuestionReview.objects.create(project=project, query=sampled.query, **said)
        except IntegrityError:
            raise Conflict(FASTER) from None
    review = own.get()
    audit.record_action(
        f"made_question_{verdict}", review, by=by, now=now, project=project, question=sampled.text,
        text=text,
    )  # fmt: skip
    return review


def find_wording_problem(sampled: SampledQuestion, text: str) -> str:
    """Return why words cannot be those of a question, "" where they can: the checks of a run."""
    if len(text) > wording.MOST_CHARACTERS:
        return f"The question has more than {wording.MOST_CHARACTERS:,} characters."
    if not text.isprintable():
        return "The question has characters that cannot be shown."
    answers = [answer["text"] for answer in sampled.answers] + sampled.others
    if wording.has_name_in_question(text, answers):
        return "The question names one of its answers. Ask without it."
    if not any(map(str.isalnum, text)):
        return "The question has no words."
    project, key = sampled.job.project, answer_key(text)
    others = [
        *Question.objects.filter(project=project).values_list("text", flat=True),
        *SampledQuestion.objects.filter(job=sampled.job)
        .exclude(pk=sampled.pk)
        .values_list("text", flat=True),
        *QuestionReview.objects.filter(project=project)
        .exclude(query=sampled.query)
        .exclude(verdict=Verdict.LEFT_OUT)
        .exclude(text="")
        .values_list("text", flat=True),
    ]
    if key in set(map(answer_key, others)):
        return "There is a question in these words already. Use others."
    return ""


def find_reviews(project: Project, queries: Collection[str]) -> dict[str, QuestionReview]:
    """Return what was decided on some questions, by their keys. One query."""
    rows = QuestionReview.objects.filter(project=project, query__in=queries).select_related("by")
    return {row.query: row for row in rows}


def count_reviews(reviews: Collection[QuestionReview]) -> ReviewFigures:
    """Return the figures of a sample. The interval holds as far as it was drawn at random."""
    counted = dict.fromkeys(Verdict.values, 0)
    for review in reviews:
        counted[review.verdict] += 1
    good, judged = counted[Verdict.GOOD], len(reviews)
    return ReviewFigures(
        good,
        counted[Verdict.WORDING],
        counted[Verdict.LEFT_OUT],
        find_share_interval(good, judged) if judged else None,
    )
