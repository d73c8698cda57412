"""What a study would be if it started now: how large, how long, how dear, what it can tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count

from annotation.core.refusals import Conflict
from annotation.models import StagePolicy
from evaluation.studies import design, estimates
from evaluation.studies.models import Study
from evaluation.studies.pool import asks_accuracy, read_eligible_questions
from evaluation.studies.raters import Raters, policy_of, raters_of
from evaluation.studies.telling import Telling, tell_reach
from evaluation.systems.models import Output, System

_MOST_NAMED = 3


@dataclass(frozen=True)
class Problem:
    """Why a study cannot start, and the field of its design where that is mended."""

    sentence: str
    field: str


@dataclass(frozen=True)
class Preview:
    """A draft before it starts.

    study: its design, saved or not; questions: how many it could have; problems: why it cannot be
    made of the answers there are; shortage: that too few people can judge, or ""; on_raters:
    the same in full; warnings: what to think of first; estimate, telling: None while there are
    problems.
    """

    study: Study
    questions: int
    problems: tuple[Problem, ...]
    shortage: str
    on_raters: str
    warnings: tuple[str, ...]
    estimate: estimates.Estimate | None
    telling: Telling | None
    policy: StagePolicy | None
    raters: Raters

    @property
    def is_single(self) -> bool:
        """Whether people see one answer at a time."""
        return self.study.pairing in design.SINGLE

    @property
    def can_start(self) -> bool:
        """Whether nothing stands in the way."""
        return not (self.problems or self.shortage)


def build_preview(study: Study, systems: Sequence[System]) -> Preview:
    """Return what a draft, saved or not, would be with these systems. Four queries."""
    questions = read_eligible_questions(study, systems)
    policy = policy_of(study.project, study.stage, study.split)
    raters = raters_of(study.project, study.stage, policy)
    problems = find_problems(study, systems, len(questions))
    number = len(systems)
    return Preview(
        study=study,
        questions=len(questions),
        problems=tuple(problems),
        shortage=shortage_of(study, raters),
        on_raters=explain_raters(study, raters, policy),
        warnings=tuple(_warn_of_staff(raters)),
        estimate=None if problems else estimate_of(study, number, policy, raters),
        telling=None
        if problems
        else tell_reach(study.size, number, pairing=study.pairing, raters=study.raters),
        policy=policy,
        raters=raters,
    )


def find_problems(study: Study, systems: Sequence[System], questions: int) -> list[Problem]:
    """Return why a study with these systems cannot start; `questions`: how many it can have."""
    least = 1 if study.pairing in design.SINGLE else 2
    if len(systems) < least:
        words = "one system" if least == 1 else "two systems"
        return [Problem(f"Choose at least {words}.", "systems")]
    if study.pairing == Study.Pairing.REFERENCE and study.reference not in systems:
        words = "The system that all others are compared with is not among the chosen ones."
        return [Problem(words, "id_reference")]
    if least == 2 and not study.criteria:
        return [Problem("Add a criterion on which two answers are compared.", "asked")]
    answers = dict(
        Output.objects.filter(system__in=systems, question__split=study.split)
        .values_list("system")
        .annotate(Count("pk"))
        .order_by()
    )
    if silent := [str(system) for system in systems if not answers.get(system.pk)]:
        return [Problem(f"{name} has no answers on {study.split}.", "systems") for name in silent]
    if questions >= study.size:
        return []
    whole = " and disambiguations to ask about" if asks_accuracy(study) else ""
    which = f"an answer from every chosen system{whole}"
    if not questions:
        return [Problem(f"No question of {study.split} has {which}.", "systems")]
    return [
        Problem(
            f"You asked for {study.size:,} questions, and only {questions:,} of {study.split} have "
            f"{which}. Ask for fewer, or choose other systems.",
            "id_size",
        )
    ]


def estimate_of(
    study: Study, systems: int, policy: StagePolicy | None, raters: Raters
) -> estimates.Estimate:
    """Return size, time and cost. Pay for each item counts as pay for its minutes."""
    pay = policy.pay if policy else Decimal(0)
    if policy and policy.pay_basis == StagePolicy.PayBasis.UNIT:
        pay = pay * 60 / Decimal(str(study.minutes))
    return estimates.estimate_study(
        questions=study.size,
        systems=systems,
        pairing=study.pairing,
        raters=study.raters,
        repeats=study.repeats,
        minutes=study.minutes,
        hourly=pay or None,
        currency=policy.currency if policy else "",
        judges=raters.able or None,
    )


def shortage_of(study: Study, raters: Raters) -> str:
    """Return that too few people can judge, "" where there are enough."""
    if raters.able >= study.raters:
        return ""
    wanted = f"{study.raters} rater{'' if study.raters == 1 else 's'}"
    if not raters.people:
        return f"Needs {wanted}, and no one in this project is {_a(raters.role)}."
    return f"Needs {wanted}, {raters.able or 'none'} can work."


def check_raters(study: Study) -> None:
    """Raise Conflict where too few people can judge."""
    policy = policy_of(study.project, study.stage, study.split)
    if shortage := shortage_of(study, raters_of(study.project, study.stage, policy)):
        raise Conflict(f"{shortage} Ask fewer people for each item, or find more.")


def explain_raters(study: Study, raters: Raters, policy: StagePolicy | None) -> str:
    """Return how many people can judge, how many are missing, and why others cannot."""
    plural = raters.role if raters.able == 1 else f"{raters.role}s"
    able = f"{raters.able} {plural} can work now"
    missing = study.raters - raters.able
    if missing <= 0:
        return f"{able}."
    exam = f"“{policy.qualification.title}”" if policy and policy.qualification else "the exam"
    reasons = [
        f"{person.name} is paused" if person.paused else f"{person.name} has not passed {exam}"
        for person in raters.waiting[:_MOST_NAMED]
    ]
    why = f": {_listed(reasons)}" if reasons else ""
    return f"{able}, {missing} too few{why}."


def warnings_of(study: Study, raters: Raters) -> list[str]:
    """Return what to think of before the study starts, and while it runs."""
    warnings = []
    if not raters.people:
        warnings.append(
            f"No one in this project is {_a(raters.role)}. The study waits until someone is."
        )
    elif raters.able < study.raters:
        asked = "1 person" if study.raters == 1 else f"{study.raters} people"
        able = {0: "no", 1: "only 1"}.get(raters.able, f"only {raters.able}")
        role = raters.role if raters.able < 2 else f"{raters.role}s"
        warnings.append(
            f"Each item asks for {asked}, and {able} {role} can work now. The study cannot be "
            "finished like this."
        )
    return [*warnings, *_warn_of_staff(raters)]


def _warn_of_staff(raters: Raters) -> list[str]:
    if not raters.staff:
        return []
    return [
        f"{_listed(raters.staff)} can also manage this project, and so see who wrote what. Their "
        "judgments are not blind."
    ]


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
