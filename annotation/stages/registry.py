"""The registry of stages: one engine serves them all; a stage is a module that registers itself.

A stage has a sheet (`annotation.sheets.sheet.Sheet`: its form, and how that is read, changed,
checked and shown) and defines what the rules and the page may know of an assignment (`given`) and
how a response becomes rows (`write`). To write one, derive from
`annotation.work.stage.SheetStage`, which has defaults for everything else, and register it from the
`ready()` of its app (`annotation.registration`): the engine hands out its tasks, and
`annotation.work.assignment_page` serves its page.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from accounts.models import User
from annotation import registration
from annotation.core.models.projects import Project, StagePolicy
from annotation.core.models.questions import Question, Split
from annotation.core.models.submissions import Submission
from annotation.core.models.work import Assignment
from annotation.protocols import registry as protocols
from annotation.sheets.fields import FormData
from annotation.sheets.sheet import Sheet
from annotation.stages.gold_items import Golds
from wikipedia.models import Quote

PEOPLE_MAX = 25  # as StagePolicy has it


class Stage(Protocol):
    """The interface of a stage towards the engine.

    key: as in StagePolicy.stage and in URLs; role: who does this work (a Role value); finished_by:
    further roles, whose people get none of it but may finish what they hold; counted: what one task
    is about, in the singular; minimum: the sentence for staff about the minimum time of a policy,
    "" if no rule of the stage asks for any; first: whether the question's K of K is counted in this
    stage; every_question: whether each question gets exactly one task of it at once, so that tasks
    are made in bulk; opens_in: the question state that makes tasks of this stage ready, and the
    only one in which they have seats, "" if no state does; decides: whether a submission takes the
    question out of `opens_in`, so that one made before the question returned there holds no seat;
    people_max: the maximum of people a policy may ask for; pays_pairs: whether a policy may pay for
    each accepted pair; pays_matches: whether it may pay for a decision that an audit matches;
    meets_others: whether a person may do this stage on a question on which they did another;
    once_per_question: whether a person gets only one task of a question, even if it has several;
    revisable: how many of their last submissions of the stage a person may change, None if any;
    limit: how many seconds they have from taking a task until what the draft holds is submitted,
    None if as long as they like; measured: title and text of the page of a submission that is not
    data; to_do: what My work adds to "3 questions are ready for you"; expects: how My work
    describes the work; none_ready: title and text of My work if no question is ready for the person
    and the stage has its own; enough: the text there for every question otherwise; suggested: the
    kinds of suggestions of models that its page can show; suggested_on: the splits on which it
    shows some; no_suggestions: why it shows none on the others, as sentences; golds: how gold items
    are made and judged, None if the stage has none; no_golds: why it has none, as a sentence;
    sheet: the form of its work.
    """

    key: str
    label: str
    role: str
    finished_by: tuple[str, ...]
    counted: str
    minimum: str
    first: bool
    every_question: bool
    opens_in: str
    decides: bool
    people_max: int
    pays_pairs: bool
    pays_matches: bool
    meets_others: bool
    once_per_question: bool
    revisable: int | None
    limit: int | None
    measured: tuple[str, str]
    to_do: str
    expects: str
    none_ready: tuple[str, str]
    enough: str
    suggested: Sequence[str]
    suggested_on: Collection[str]
    no_suggestions: str
    no_golds: str

    @property
    def golds(self) -> Golds | None: ...

    @property
    def sheet(self) -> Sheet[Any, Any]: ...

    def tasks_for(self, question: Question) -> Sequence[str]:
        """Return the units of the tasks that are ready now ("" where there is one task).

        Called when the question is imported, and after each submission of another stage that
        leaves it in the state that this one opens in. It must not query, since an import calls it
        for each question. Naming an existing task does nothing.
        """
        ...

    def decide_states(self, questions: Mapping[int, bool]) -> Mapping[int, str]:
        """Return the question state that this stage has decided, for the questions that have one.

        Called with questions that have all their answers; True if a policy asks for this stage.
        """
        ...

    def reopen_questions(self, question_ids: Sequence[int], *, now: dt.datetime) -> None:
        """Record that questions this stage had decided are being answered again."""
        ...

    def default_policies(self, project: Project) -> list[StagePolicy]:
        """Return the unsaved policies that a new project starts with."""
        ...

    def build_sheet_context(self, assignment: Assignment, *, now: dt.datetime) -> Any:
        """Return what the rules and the page may know of an assignment."""
        ...

    def check_may_look(self, assignment: Assignment, *, by: User) -> None:
        """Raise Denied if the person may no longer see what is given."""
        ...

    def apply_press(
        self,
        assignment: Assignment,
        response: Any,
        press: str,
        given: Any,
        post: FormData,
        *,
        by: User,
        now: dt.datetime,
    ) -> Any:
        """Return the response after a press on a button of the form."""
        ...

    def record_saved_draft(
        self, assignment: Assignment, response: Any, given: Any, *, by: User, now: dt.datetime
    ) -> None:
        """Record what else a saved draft tells."""
        ...

    def submit(self, assignment: Assignment, response: Any, *, by: User, now: dt.datetime) -> Any:
        """Run the rules, then write the stage's own rows.

        Raises policies.work.Refused(report) while something blocks. Raises Conflict, before
        anything is written, if the response no longer fits what is given; it is then saved as the
        draft.
        """
        ...

    def get_submission(self, assignment: Assignment) -> Any:
        """Return the row that `submit` wrote for this assignment."""
        ...

    def withdraw(self, assignment: Assignment) -> None:
        """Delete the rows that `submit` wrote, when staff return the work to its author."""
        ...

    def check_may_change(self, assignment: Assignment) -> None:
        """Raise Conflict if the person may not change this submission now, though it is one of the
        last `revisable` and nobody works with it.
        """
        ...

    def list_readers(self, protocol: str) -> Sequence[str]:
        """Return the stages in which people work with its submissions. Their tasks on a question
        are given to nobody while somebody changes one, and none can be changed once one is open.
        """
        ...

    def values_for_log(self, assignment: Assignment) -> dict[str, object]:
        """Return the values to log of a submission that is returned to its author."""
        ...

    def page_context(
        self, assignment: Assignment, given: Any, context: Mapping[str, Any], *, by: User
    ) -> dict[str, Any]:
        """Return the context that only the whole work page needs, in addition to `context`."""
        ...

    def ended_page_context(self, assignment: Assignment) -> dict[str, Any]:
        """Return the context of the page of work that is not in hand."""
        ...


class StageDefaults:
    """Defaults of a stage: those of a first stage with one task for each question."""

    finished_by: tuple[str, ...] = ()
    counted = "question"
    minimum = ""
    first = True
    every_question = True
    opens_in = ""
    decides = False
    people_max = PEOPLE_MAX
    pays_pairs = False
    pays_matches = False
    meets_others = False
    once_per_question = False
    revisable: int | None = 0
    limit: int | None = None
    measured = ("", "")
    to_do = ""
    expects = "You will not see anyone else’s answer."
    none_ready = ("", "")
    enough = "has as many answers as it needs"
    suggested: Sequence[str] = ()
    suggested_on: Collection[str] = Split.values
    no_suggestions = ""
    no_golds = ""

    @property
    def golds(self) -> Golds | None:
        """How gold items are made and judged; None: the stage has none, and `no_golds` says why."""
        return None

    def tasks_for(self, question: Question) -> Sequence[str]:
        """Return one task for each question, at once."""
        return [""]

    def decide_states(self, questions: Mapping[int, bool]) -> Mapping[int, str]:
        """Return no states: the stage decides nothing."""
        return {}

    def reopen_questions(self, question_ids: Sequence[int], *, now: dt.datetime) -> None:
        """Do nothing: there is nothing to undo."""

    def check_may_change(self, assignment: Assignment) -> None:
        """Refuse nothing more."""

    def list_readers(self, protocol: str) -> Sequence[str]:
        """Return the stages of data that come after, if it is the first of the protocol."""
        measuring = protocols.get_protocol(protocol).measuring
        later = of_protocol(protocol) if self.first else []
        return [stage.key for stage in later if not stage.first and stage.key not in measuring]


@runtime_checkable
class ShowsQuotes(Protocol):
    """A stage in which people may see the quotes of others."""

    def quotes_on(self, assignment: Assignment, path: str) -> Sequence[tuple[str, Quote]]:
        """Return the quotes on a page, each with a name that does not tell whose it is."""
        ...


@runtime_checkable
class TakesSuggestions(Protocol):
    """A stage whose page can show suggestions of models; `taking` says what they become."""

    taking: Any


@runtime_checkable
class RulesOut(Protocol):
    """A stage in which a question can be set aside, whatever its answers.

    ruled: SQL on question `q`: the state it is set aside in (flagged, or excluded), else NULL.
    """

    ruled: str


@runtime_checkable
class WritesJson(Protocol):
    """A stage whose submissions are `Submission` rows, which it can read."""

    def get_submission(self, assignment: Assignment) -> Submission:
        """Return the submission of an assignment."""
        ...

    def response_for_export(self, response: Mapping[str, Any]) -> dict[str, Any]:
        """Return a stored response as exports write it."""
        ...

    def read_beside_responses(self, assignments: Sequence[int]) -> Mapping[int, Mapping[str, Any]]:
        """Return what exports have besides the responses in assignments, where there is any."""
        ...

    def list_submission_texts(self, submission: Submission) -> Sequence[tuple[str, str]]:
        """Return the submission for display: label and text of every field that has text."""
        ...


_stages: dict[str, Stage] = {}


def register(stage: Stage) -> None:
    """Register a stage under its key; a stage with the same key is replaced.

    Raises ValueError for a time limit that people could get around by changing what they submitted.
    """
    if stage.limit is not None and (stage.limit <= 0 or stage.revisable != 0):
        raise ValueError(f"The time limit of {stage.key} does not fit the stage.")
    _stages[stage.key] = stage


def get_stage(key: str) -> Stage:
    """Return the registered stage. Raises KeyError if there is none."""
    registration.STAGES.make()
    return _stages[key]


def label_of(key: str) -> str:
    """Return the label of a stage; its key as words if this installation does not have it."""
    registration.STAGES.make()
    return _stages[key].label if key in _stages else key.replace("_", " ").capitalize()


def list_stages() -> list[Stage]:
    """Return every registered stage."""
    registration.STAGES.make()
    return list(_stages.values())


def of_protocol(protocol: str) -> list[Stage]:
    """Return the stages of a protocol, in the order of the work."""
    return [get_stage(key) for key in protocols.get_protocol(protocol).stages]


def first_of(protocol: str) -> Stage | None:
    """Return the stage in which a question's K of K is counted."""
    return next((stage for stage in of_protocol(protocol) if stage.first), None)


def ruled_sql(protocol: str) -> str:
    """Return SQL on question `q`: the state it is set aside in, whatever its answers, or NULL.

    A later stage of the protocol has the last word.
    """
    # Asked for at every submission, so not by isinstance: Python compares a protocol slowly.
    ruled = [stage.ruled for stage in of_protocol(protocol) if hasattr(stage, "ruled")]
    return f"COALESCE({', '.join([*reversed(ruled), 'NULL'])})"


def list_writing_stages(project: Project) -> list[str]:
    """Return the keys of the stages in which a project's answers are written."""
    return [stage.key for stage in of_protocol(project.protocol) if stage.first]


def default_policies(project: Project) -> Iterable[StagePolicy]:
    """Return the unsaved policies of every stage of the project's protocol."""
    for stage in of_protocol(project.protocol):
        yield from stage.default_policies(project)
