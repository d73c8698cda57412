"""What a study would be if it started now: how large, how long, how dear, how exact."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count

from annotation.models import StagePolicy
from evaluation.studies import design, estimates
from evaluation.studies.models import Study
from evaluation.studies.pool import asks_accuracy, read_eligible_questions
from evaluation.studies.raters import Raters, policy_of, raters_of
from evaluation.systems.models import Output, System

WIDE = 5.0  # points: a wider interval hides differences that people care about


@dataclass(frozen=True)
class Preview:
    """A draft before it starts.

    questions: how many it could have; problems: why it cannot start; warnings: what to think of
    first; estimate: None while it cannot start.
    """

    questions: int
    problems: tuple[str, ...]
    warnings: tuple[str, ...]
    estimate: estimates.Estimate | None
    policy: StagePolicy | None
    raters: Raters


def build_preview(study: Study, systems: Sequence[System]) -> Preview:
    """Return what a draft, saved or not, would be with these systems. Four queries."""
    questions = read_eligible_questions(study, systems)
    policy = policy_of(study.project, study.stage, study.split)
    raters = raters_of(study.project, study.stage, policy)
    problems = problems_of(study, systems, len(questions))
    estimate = (
        None if problems else estimate_of(study, len(systems), len(questions), policy, raters)
    )
    return Preview(
        questions=len(questions),
        problems=tuple(problems),
        warnings=tuple(warnings_of(study, raters, estimate)),
        estimate=estimate,
        policy=policy,
        raters=raters,
    )


def problems_of(study: Study, systems: Sequence[System], questions: int) -> list[str]:
    """Return why a study with these systems cannot start; `questions`: how many it can have."""
    least = 1 if study.pairing in design.SINGLE else 2
    if len(systems) < least:
        return [f"Choose at least {'one system' if least == 1 else 'two systems'}."]
    if study.pairing == Study.Pairing.REFERENCE and study.reference not in systems:
        return ["The system that all others are compared with is not among the chosen ones."]
    if least == 2 and not study.criteria:
        return ["Add a criterion on which two answers are compared."]
    answers = dict(
        Output.objects.filter(system__in=systems, question__split=study.split)
        .values_list("system")
        .annotate(Count("pk"))
        .order_by()
    )
    if silent := [str(system) for system in systems if not answers.get(system.pk)]:
        return [f"{name} has no answers on {study.split}." for name in silent]
    if questions >= study.size:
        return []
    whole = " and disambiguations to ask about" if asks_accuracy(study) else ""
    which = f"an answer from every chosen system{whole}"
    if not questions:
        return [f"No question of {study.split} has {which}."]
    return [
        f"You asked for {study.size:,} questions, and only {questions:,} of {study.split} have "
        f"{which}. Ask for fewer, or choose other systems."
    ]


def estimate_of(
    study: Study, systems: int, questions: int, policy: StagePolicy | None, raters: Raters
) -> estimates.Estimate:
    """Return size, time, cost and interval, also for other sizes that can be drawn.

    Pay for each item counts as pay for its minutes.
    """
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
        questions_tried=sorted(
            {min(max(1, round(study.size * part)), questions) for part in (0.5, 1, 1.5, 2)}
        ),
    )


def warnings_of(study: Study, raters: Raters, estimate: estimates.Estimate | None) -> list[str]:
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
    if raters.staff:
        warnings.append(
            f"{_listed(raters.staff)} can also manage this project, and so see who wrote what. "
            "Their judgments are not blind."
        )
    if estimate and estimate.half_width > WIDE:
        warnings.append(
            f"Differences below {estimate.half_width:.0f} points will not show. Four times as many "
            "questions halve the interval."
        )
    return warnings


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
