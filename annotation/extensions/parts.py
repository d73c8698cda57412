"""The parts of an extension: what a feature can add, each as the room that uses it wants it."""

import datetime as dt
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from django.db.models import Exists, Model
from psycopg2.sql import SQL

from accounts.models import User
from annotation.core.models.jobs import Job
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.work import Assignment
from annotation.core.refusals import Denied
from annotation.protocols.registry import Feature

if TYPE_CHECKING:
    from annotation.jobs.services import RunningJob

OVERVIEW = "overview"
"""The page of a project that panels are for, unless they say another."""
OTHER_WAYS = "other ways"
"""The list of other ways to find people, whose panels are its items."""


# --- the engine: called in its transaction and under its locks ------------------------------------


@dataclass(frozen=True)
class LackWords:
    """What the team reads of a person who does not meet a demand. page: name of the address about
    it, which takes the project, and `link` its words.
    """

    title: str
    hint: str
    page: str = ""
    link: str = ""


@dataclass(frozen=True)
class Demand:
    """A condition for the people who take tasks of a policy.

    missing: SQL on policy `p` and `%(user)s`: a number if the person does not meet it, else NULL;
    refusal: given that number, the text for a person who has no other work; lasting: whether work
    whose lease has ended is accepted only from people who still meet it; before_exams: whether it
    has to be met before an exam, too, where `p` has nothing but its `project_id`; for_team: words
    for others than the person.
    """

    missing: SQL
    refusal: Callable[[int], Denied]
    lasting: bool = False
    before_exams: bool = False
    for_team: LackWords = LackWords("Has something else to do first", "They are told what it is.")


class Terms(Protocol):
    """Returns columns to store on the assignment of a submission made now, such as its pay."""

    def __call__(self, policy: StagePolicy, /, *, active_seconds: int) -> Mapping[str, Any]: ...


class SubmissionHook(Protocol):
    """Called with each submission once it is written, before its question is settled."""

    def __call__(self, assignment: Assignment, response: Any, /, *, now: dt.datetime) -> object: ...


class SettledQuestion(NamedTuple):
    """A question whose state was computed again, with the fact that a follower asked for."""

    question_id: int
    before: str
    state: str
    fact: Any


class SettlingHook(Protocol):
    """Called with the questions whose fact is not NULL. Their locks are held."""

    def __call__(
        self, questions: Sequence[SettledQuestion], /, *, protocol: str, now: dt.datetime
    ) -> object: ...


@dataclass(frozen=True)
class Follower:
    """Acts when the state of questions is computed again, whether it changed or not.

    place: among all followers, lower ones are called first. fact: SQL on question `q`, NULL where
    the question does not concern it.
    """

    follow: SettlingHook
    place: int
    fact: SQL = field(default_factory=lambda: SQL("true"))


@dataclass(frozen=True)
class TaskRule:
    """How the engine hands out tasks of a kind, as conditions in SQL on task `t`.

    asks_again: true of tasks that ask for people though their question is finished; not_for: true
    of tasks that the person `{user}` is never given; settled_on: the id of another question with
    which the work of a task is settled, else NULL. Statements are composed once in a process.
    """

    asks_again: SQL
    not_for: SQL
    settled_on: SQL


# --- jobs ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class JobWords:
    """The words for a kind of job. `counts`: keys of its result with their labels.

    refused: how the page calls the records that its result counts as rejected.
    """

    title: str
    failed: str
    stop: str
    counts: tuple[tuple[str, str], ...] = ()
    refused: str = "rejected"


@dataclass(frozen=True, kw_only=True)
class JobKind:
    """A kind of job. `run` may be killed at any point and called again.

    logged: False for jobs that change nothing in a project: their audit rows name no project. task:
    the Celery task that runs a job with these options, where that is not ours; its name decides on
    which queue the job waits. retry: starts a job like one that failed, or returns the one under
    way; None where that is not possible. of_installation: only administrators see these jobs,
    whichever project they lie in.
    """

    key: str
    run: "Callable[[RunningJob], None]"
    words: JobWords
    logged: bool = True
    task: Callable[[Mapping[str, Any]], str] | None = None
    retry: Callable[[Job, User, dt.datetime], Job] | None = None
    of_installation: bool = False


class JobDone(Protocol):
    """Called when a job has done its work, in the transaction that says so."""

    def __call__(self, job: Job, /, *, now: dt.datetime) -> object: ...


# --- pages of a project --------------------------------------------------------------------------


@dataclass(frozen=True)
class Tab:
    """One page of a project. `url` is the name of its address, which takes the project's slug.

    place: where it stands among all tabs. needs: only projects whose protocol has this feature have
    the page. filled: members who are not staff see the tab only where this holds for the project
    (`OuterRef("pk")`). role: only people with this role see the tab, and staff do not: they come to
    the page by another one. waiting: from the id of a project to the number of things on the page
    that wait for its staff. instead_of_golds: what one presses to check work there that can have no
    gold items.
    """

    key: str
    label: str
    url: str
    group: str
    place: int
    staff_only: bool = True
    needs: Feature | None = None
    filled: Exists | None = None
    role: str = ""
    waiting: Callable[[int], int] | None = None
    instead_of_golds: str = ""


class EndedParts(Protocol):
    """Returns, of people who had a part in a project for a time, in what words and when it ended.
    People without one are left out.
    """

    def __call__(
        self, project: Project, users: Collection[int], /
    ) -> Mapping[int, tuple[str, dt.datetime]]: ...


class SetUpCopy(Protocol):
    """Copies what a feature keeps of how a project is set up, in the transaction that makes `made`
    as a duplicate of `source`.
    """

    def __call__(
        self, source: Project, made: Project, /, *, by: User, now: dt.datetime
    ) -> None: ...


@dataclass(frozen=True)
class ProjectPanel:
    """A card on a page of a project, for its staff: a template that gets `context(project)` as
    `panel`.
    """

    template: str
    context: Callable[[Project], dict[str, Any]]
    page: str = OVERVIEW


@dataclass(frozen=True)
class RowPanel:
    """A card on the page of one row, for the staff of its project: a template that gets
    `context(row, user)` as `panel`. Where that is None, the page has no such card.
    """

    template: str
    context: Callable[[Any, User], dict[str, Any] | None]
    page: str


@dataclass(frozen=True)
class HomePanel:
    """A card at the top of home: a template that gets what `context(user)` returns as `panel`.

    Where that is None, the person has no such card.
    """

    template: str
    context: Callable[[User], dict[str, Any] | None]


# --- the log -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LogTarget:
    """How the log names rows that are still there, and the page that it links them to.

    fields: what `name` is made of. number: the field with the number in the page's address, "" for
    pages of the whole project. person: the field with the name of who it is about. gone: the name
    of a row that was removed.
    """

    model: type[Model]
    fields: tuple[str, ...]
    page: str
    number: str = ""
    person: str = ""
    name: Callable[[Mapping[str, Any]], str] | None = None
    gone: str = ""


@dataclass(frozen=True, eq=False)
class LogEntries:
    """What a feature writes into the log: sentences by action, and the pages they link to.

    The words of a sentence in brackets become a link. Names in braces: `who` did it, `what` it is
    about, `whose` assignment it was, `user` is the person concerned, `changes` lists what differs
    between before and after; any other name is a value of the row. targets: by kind, rows that are
    looked up. pages: by action or kind, pages of the project for what is not looked up. numbered:
    by kind, pages with the target's number in their address.
    """

    sentences: Mapping[str, str]
    targets: Mapping[str, LogTarget] | None = None
    pages: Mapping[str, str] | None = None
    numbered: Mapping[str, str] | None = None


# --- people --------------------------------------------------------------------------------------


class DecidedSubmission(NamedTuple):
    """A submission that was decided on, in the words of My submissions."""

    assignment: Assignment
    label: str
    at: dt.datetime


@dataclass(frozen=True)
class ResultNews:
    """Results as news. count: SQL for the number of a person's (`%(user)s`) since `%(since)s`."""

    count: SQL
    results: Callable[[User, dt.datetime], Sequence[DecidedSubmission]]


# Assignment -> its label, and its tone ("success", "warning", "error" or "").
Labels = Mapping[int, tuple[str, str]]


class SubmissionCounter(Protocol):
    """Counts a person's submissions since a time: with a result, and accepted."""

    def __call__(self, user: User, *, since: dt.datetime) -> tuple[int, int]: ...


@dataclass(frozen=True)
class Outcomes:
    """Results of submissions, from the floor that decides on them."""

    labels: Callable[[User, Collection[int]], Labels]
    tally: SubmissionCounter


Forget = Callable[[User, dt.datetime], object]
"""Forgets a person who is erased, in the same transaction."""


# --- rows of others ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Citation:
    """Rows that cite quotes. question: their path from a question; project: from them to its id."""

    model: type[Model]
    question: str
    project: str
    fields: tuple[str, ...] = ("quote", "more_quotes")


class RowUse(NamedTuple):
    """That a row is used. title: of what uses it; begun: whether people have begun to; kind: what
    uses it, as a word.
    """

    row: int
    title: str
    begun: bool
    kind: str = "study"


@dataclass(frozen=True)
class Usage:
    """What uses rows of a room below. uses: of rows by id, the oldest use first, in one query;
    kind: that of all of these uses.
    """

    model: type[Model]
    uses: Callable[[Collection[int]], Sequence[RowUse]]
    kind: str = "study"


@dataclass(frozen=True)
class TurnColumn:
    """Something read with a person's turn. sql: on assignment `a`, task `t`, question `q`, policy
    `y` and project `p`, as JSON or NULL; keep: puts the value where the page finds it.
    """

    sql: str
    keep: Callable[[Assignment, Any], None]
