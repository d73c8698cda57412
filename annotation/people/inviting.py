"""Inviting a whole list: what each line would do, and doing it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.db import transaction
from django.db.models.functions import Lower

from accounts.models import User
from annotation.access.projects import check_can_manage_people
from annotation.core.models.people import (
    INVITATION_OPEN,
    Invitation,
    Membership,
    go_together,
    join_role_names,
)
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.people import letters
from annotation.people.invitation_services import invite_member
from annotation.people.invited_lines import InvitedLine, read_lines
from annotation.people.services import add_role

SHOWN_NUMBERS = 12


class Outcome(StrEnum):
    """What a line would do."""

    INVITED = "invited"
    ROLE = "role"
    NOTHING = "nothing"
    PROBLEM = "problem"


@dataclass(frozen=True)
class CheckedLine:
    """A line with what it would do. user: the member whom it is about, if they are one."""

    line: InvitedLine
    outcome: Outcome
    title: str
    hint: str = ""
    user: User | None = None


@dataclass(frozen=True)
class CheckedList:
    """A whole list, checked."""

    lines: Sequence[CheckedLine]

    def of(self, outcome: Outcome) -> list[CheckedLine]:
        """Return the lines with this outcome."""
        return [each for each in self.lines if each.outcome == outcome]

    @property
    def invited(self) -> int:
        return len(self.of(Outcome.INVITED))

    @property
    def given(self) -> int:
        return sum(len(each.line.roles) for each in self.of(Outcome.ROLE))

    @property
    def problems(self) -> int:
        return len(self.of(Outcome.PROBLEM))

    @property
    def title(self) -> str:
        """How many lines do what, in words."""
        given = len(self.of(Outcome.ROLE))
        parts = [
            f"{self.invited} to invite" if self.invited else "",
            f"{given} {'gets' if given == 1 else 'get'} a role" if given else "",
            f"{here} here or invited already" if (here := len(self.of(Outcome.NOTHING))) else "",
            f"{self.problems} to correct" if self.problems else "",
        ]
        lines = len(self.lines)
        return f"{lines} line{'' if lines == 1 else 's'}: {', '.join(filter(None, parts))}"

    @property
    def press(self) -> str:
        """What the button says that does it."""
        roles = f"give {self.given} role{'' if self.given == 1 else 's'}" if self.given else ""
        invite = f"invite {self.invited}" if self.invited else ""
        words = " and ".join(filter(None, (invite, roles)))
        return words[:1].upper() + words[1:]

    @property
    def stays(self) -> str:
        """Which lines stay in the box, as a sentence."""
        numbers = [str(each.line.number) for each in self.of(Outcome.PROBLEM)]
        if len(numbers) == 1:
            return f"Line {numbers[0]} stays in the box for you to correct."
        if len(numbers) > SHOWN_NUMBERS:
            return f"{len(numbers)} lines stay in the box for you to correct."
        first = ", ".join(numbers[:-1])
        return f"Lines {first} and {numbers[-1]} stay in the box for you to correct."

    @property
    def rest(self) -> str:
        """The lines that have a problem, as they were written."""
        return "\n".join(each.line.text for each in self.of(Outcome.PROBLEM))


def check_list(project: Project, text: str, *, role: str, now: dt.datetime) -> CheckedList:
    """Return what each line of a pasted list would do. Two queries."""
    lines = read_lines(text, role=role)
    emails = {line.email for line in lines if line.email}
    rows = Membership.objects.alias(lower=Lower("user__email")).filter(
        project=project, lower__in=emails
    )
    members: dict[str, list[Membership]] = {}
    for row in rows.select_related("user"):
        members.setdefault(row.user.email.lower(), []).append(row)
    invitations = Invitation.objects.alias(lower=Lower("email")).filter(
        INVITATION_OPEN, project=project, lower__in=emails
    )
    open_ones = {row.email.lower(): row for row in invitations}
    first: dict[str, InvitedLine] = {}
    checked = []
    for line in lines:
        if line.problem:
            checked.append(CheckedLine(line, Outcome.PROBLEM, line.problem, line.hint))
            continue
        earlier = first.setdefault(line.email, line)
        if earlier is not line:
            checked.append(_check_twice(line, earlier))
        elif line.email in members:
            checked.append(_check_member(line, members[line.email]))
        else:
            checked.append(_check_new(line, open_ones.get(line.email), now))
    return CheckedList(checked)


def _check_twice(line: InvitedLine, earlier: InvitedLine) -> CheckedLine:
    title = f"The same address as in line {earlier.number}"
    roles = [*earlier.roles, *(role for role in line.roles if role not in earlier.roles)]
    if len(roles) == len(earlier.roles):
        return CheckedLine(line, Outcome.PROBLEM, title, "Leave one of the two out.")
    both = ", ".join(roles)
    return CheckedLine(line, Outcome.PROBLEM, title, f"Write all roles in one line: “{both}”.")


def _check_member(line: InvitedLine, rows: Sequence[Membership]) -> CheckedLine:
    user, has = rows[0].user, {row.role for row in rows}
    new = [role for role in line.roles if role not in has]
    named = replace(line, name=user.name, roles=new or line.roles)
    here = "Is here already"
    if not new:
        hint = f"Has the role {join_role_names(line.roles)}. Nothing changes."
        return CheckedLine(named, Outcome.NOTHING, here, hint, user)
    if not all(go_together(has, role) for role in new):
        hint = (
            f"Has the role {join_role_names(has)}, which does not go with "
            f"{join_role_names(new)}: experts must not see the answers of others."
        )
        return CheckedLine(named, Outcome.PROBLEM, "These roles do not go together", hint)
    role = "role" if len(new) == 1 else "roles"
    hint = f"Gets the {role} {join_role_names(new)}, without an e-mail."
    return CheckedLine(named, Outcome.ROLE, here, hint, user)


def _check_new(line: InvitedLine, invitation: Invitation | None, now: dt.datetime) -> CheckedLine:
    if invitation is None:
        return CheckedLine(line, Outcome.INVITED, "Will be invited")
    if invitation.expires_at <= now:
        hint = "The earlier invitation has expired; this one takes its place."
        return CheckedLine(line, Outcome.INVITED, "Will be invited again", hint)
    title = f"Is invited already as {invitation.role_names}"
    if set(line.roles) <= set(invitation.roles):
        hint = "Nothing changes. The link is under Pending invitations."
        return CheckedLine(line, Outcome.NOTHING, title, hint)
    hint = "Withdraw that invitation first to invite them with other roles."
    return CheckedLine(line, Outcome.PROBLEM, title, hint)


@transaction.atomic
def invite_list(
    *,
    project: Project,
    text: str,
    role: str,
    message: str,
    open_for: dt.timedelta,
    by_letter: bool,
    site: str,
    by: User,
    now: dt.datetime,
) -> CheckedList:
    """Do what `check_list` says of each line, and return it as it was done.

    What others did in the meantime makes a line a problem and leaves the other lines. All
    invitations and roles have `now` as their time, which is how the page after it finds them. A job
    sends the e-mails.
    """
    check_can_manage_people(by, project)
    done, invitations = [], []
    for each in check_list(project, text, role=role, now=now).lines:
        try:
            with transaction.atomic():
                if each.outcome == Outcome.INVITED:
                    invitations.append(
                        invite_member(
                            project=project,
                            email=each.line.email,
                            roles=each.line.roles,
                            name=each.line.name,
                            message=message,
                            open_for=open_for,
                            by_letter=by_letter,
                            by=by,
                            now=now,
                        )
                    )
                elif each.outcome == Outcome.ROLE and each.user is not None:
                    for new in each.line.roles:
                        add_role(project=project, user=each.user, role=new, by=by, now=now)
            done.append(each)
        except Conflict as refusal:
            done.append(replace(each, outcome=Outcome.PROBLEM, title=str(refusal), hint=""))
    if by_letter:
        letters.start_letters(project=project, invitations=invitations, site=site, by=by, now=now)
    return CheckedList(done)
