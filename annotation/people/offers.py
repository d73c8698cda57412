"""What an invitation offers: the roles in a sentence each, the work, its time and its pay.

Only facts that are there: where nothing is known, nothing is said.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.utils.safestring import SafeString

from annotation.core.models.people import ROLE_SENTENCES, Role
from annotation.core.models.projects import Guideline, Project, StagePolicy
from annotation.people.statements import OFFERED_WORK
from annotation.stages import registry as stages
from annotation.text.markdown import render_sections

# Open tasks are counted up to this number in each split, and this many submissions are timed.
MOST_OPEN = 1000
TIMED = 200


@dataclass(frozen=True)
class OfferedWork:
    """One kind of work: how many tasks are open, and the median active seconds, if any is known."""

    label: str
    expects: str
    open: int
    seconds: int | None

    @property
    def many(self) -> str:
        """The number of open tasks, in words."""
        if not self.open:
            return "None"
        return f"{MOST_OPEN:,} or more" if self.open >= MOST_OPEN else f"{self.open:,}"

    @property
    def minutes(self) -> int | None:
        """The median in minutes, at least one."""
        return None if self.seconds is None else max(1, round(self.seconds / 60))

    @property
    def hours(self) -> int | None:
        """About how long one person needs for all that is open, in hours; None where no time is
        known, or where not everything was counted.
        """
        if self.seconds is None or self.open >= MOST_OPEN:
            return None
        return max(1, round(self.open * self.seconds / 3600))


@dataclass(frozen=True)
class Offer:
    """What the person would do, in which roles.

    about: the first section of the guidelines, example: the one with examples, each as a title and
    HTML; pay: what each submission or hour is worth, in words.
    """

    roles: Sequence[tuple[str, str]]
    work: Sequence[OfferedWork]
    pay: Sequence[str]
    about: tuple[str, SafeString] | None
    example: tuple[str, SafeString] | None


def describe_offer(project: Project, roles: Collection[str]) -> Offer:
    """Return what people with these roles do in the project. Three statements."""
    kinds = [each for each in stages.of_protocol(project.protocol) if each.role in roles]
    newest = Guideline.newest_of(project.pk)
    sections = render_sections(newest.body) if newest else []
    examples = [section for section in sections if section[0].lower().startswith("example")]
    return Offer(
        roles=[(role.label, ROLE_SENTENCES[role]) for role in Role if role.value in roles],
        work=list_kinds_of_work(project, kinds),
        pay=_list_pay(project, kinds),
        about=sections[0] if sections and kinds else None,
        example=examples[0] if examples and kinds else None,
    )


def list_kinds_of_work(project: Project, kinds: Sequence[stages.Stage]) -> list[OfferedWork]:
    """Return how much of each of these stages is open, and how long it takes. One statement."""
    if not kinds:
        return []
    values: dict[str, Any] = {
        "project": project.pk,
        "stages": [stage.key for stage in kinds],
        "most": MOST_OPEN,
        "timed": TIMED,
    }
    with connection.cursor() as cursor:
        cursor.execute(OFFERED_WORK, values)
        counted = {row[0]: row[1:] for row in cursor.fetchall()}
    return [
        OfferedWork(stage.label, stage.expects, *counted[stage.key])
        for stage in kinds
        if stage.key in counted
    ]


def _list_pay(project: Project, kinds: Sequence[stages.Stage]) -> list[str]:
    """Return the amounts of these stages in words, and of which stage where they differ."""
    policies = StagePolicy.objects.filter(
        project=project, stage__in=[stage.key for stage in kinds]
    ).order_by("stage", "split")
    amounts = [(stages.label_of(policy.stage), _amount(policy)) for policy in policies]
    different = list(dict.fromkeys(amount for _, amount in amounts))
    if len(different) < 2:
        return [amount for amount in different if amount]
    return list(dict.fromkeys(f"{label}: {amount or 'unpaid'}" for label, amount in amounts))


def _amount(policy: StagePolicy) -> str:
    """Return what a question or an hour is worth, in words; "" if it is unpaid."""
    if not policy.pay or policy.pay_basis != StagePolicy.PayBasis.UNIT:
        return policy.pay_words
    first = f"{policy.pay} {policy.currency}"
    return policy.pay_words.replace(first, f"{first} for each question", 1)
