"""A form of work: its values, and how they are read, changed, checked and shown.

A sheet knows no assignment, request or row, so that the same one serves the work page, an exam and
a preview. Its response `R` is a frozen dataclass with `keeps` (the kept warnings) and, if people
may write to the team, `feedback`.

Whatever else the rules and the page may know is in `given`, a value of type `G` that the stage
makes (`Stage.given`) and that has at least `settings`, the project's settings of rules. `given`
depends on the assignment, not on the response; parts that cost a query are functions, called when
needed (the person's own quotes, the texts of opened pages).

To write one: declare its values and their `fields.Form`, its `report.Rules`, and a class with
`page`, `reply`, `ended`, `form`, `rules`, `blank`, `texts` and `summary`, mostly also `written` and
`shown`; everything else has a default. `post` is the form as it was sent; only things outside the
response (words next to a button, ticks) are read from it a second time.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from annotation.sheets.fields import Form, FormData
from annotation.sheets.known_items import Grade, KnownItem
from annotation.sheets.parts import link_checklist_items, list_idle_keeps
from annotation.sheets.report import FindingsReport, Rules
from annotation.sheets.rules import HasKeeps, HasSettings
from annotation.sheets.steps import Step, StepProgress, replace_answers

R = TypeVar("R", bound=HasKeeps)
G = TypeVar("G", bound=HasSettings)


class Sheet(ABC, Generic[R, G]):
    """A form of work, on responses of type R, knowing G.

    page, reply, ended: the templates of the whole page, of the reply to a script, and of work that
    is not in hand; fields: the ids of the fields that rules may report on, in the order of the
    page, each with its label; script: its own module, below `static/js/`; reads: whether
    Wikipedia is shown next to it; steps: what it asks for one after the other, if not all at once.
    """

    page: ClassVar[str]
    reply: ClassVar[str] = "annotation/work/reply.html"
    ended: ClassVar[str] = "annotation/work/ended.html"
    fields: ClassVar[Mapping[str, str]] = {}
    script: ClassVar[str] = ""
    reads: ClassVar[bool] = True
    steps: ClassVar[Sequence[Step]] = ()
    form: Form[R]
    rules: Rules[R, G]
    blank: R

    # --- reading and keeping ----------------------------------------------------------------------

    def read(self, post: FormData, given: G) -> R:
        """Return the response on the form. Raises ResponseError with a sentence if it is
        unreadable.
        """
        return self.form.from_post(post)

    def load(self, draft: Mapping[str, object]) -> R:
        """Return the response of a stored draft, `blank` if nothing is stored yet."""
        return self.form.from_json(draft) if draft else self.blank

    def dump(self, response: R) -> dict[str, object]:
        """Return the response as the JSON of a draft."""
        return self.form.to_json(response)

    def adapt_response(self, response: R, given: G) -> R:
        """Return the response adapted to what is given now, which may have changed meanwhile."""
        return response

    def submitted_part(self, response: R) -> R:
        """Return the part of the response that is submitted."""
        return response

    # --- steps in succession ----------------------------------------------------------------------

    def has_next_step(self, response: R, at: int) -> bool:
        """Return whether another step follows the one at this place, with this response."""
        return at + 1 < len(self.steps)

    def with_other_steps(self, response: R, progress: StepProgress) -> R:
        """Return the response with the answers that are kept of every other step than the one in
        hand: those of finished steps, and of later ones where the person has gone back.
        """
        if not self.steps:
            return response
        others = [step for at, step in enumerate(self.steps) if at != progress.at]
        return replace_answers(others, response, self.load(progress.answers))

    def up_to_step(self, response: R, at: int) -> R:
        """Return the response without answers of steps after this place."""
        return replace_answers(self.steps[at + 1 :], response, self.blank)

    def drop_misfit_answers(self, response: R, given: G) -> tuple[R, str]:
        """Return the response without answers of later steps that do not fit those of the step that
        is finished now, and a sentence that says what was dropped, "" if nothing was.
        """
        return response, ""

    # --- clients of the API -----------------------------------------------------------------------

    def given_to_json(self, given: G) -> dict[str, Any]:
        """Return what is given besides the prompt, as JSON: what the page shows, and no more."""
        return {}

    def response_to_json(self, response: R, assignment: int) -> dict[str, object]:
        """Return the response as JSON for its author; `assignment` is the id of their turn."""
        return self.dump(response)

    def response_from_json(self, data: Mapping[str, object], given: G) -> R:
        """Return the response in JSON of the shape of `sent`, which may hold anything.

        Raises ResponseError with a sentence.
        """
        return self.form.from_json(data)

    def schema(self) -> dict[str, Any]:
        """Return the JSON Schema of a response in the shape of `sent`."""
        return self.form.schema()

    # --- presses ----------------------------------------------------------------------------------

    def apply_press(self, response: R, press: str, given: G, post: FormData) -> R:
        """Return the response after a press on a button of the form: a verb and its object.

        Unknown presses, and "save", change nothing. Raises ResponseError with a sentence if the
        press cannot do what it says.
        """
        return response

    def press_anchor(self, response: R, press: str, before: R) -> str:
        """Return the id of the element to scroll to after the press."""
        return "write"

    def press_effect(self, response: R, press: str, before: R, *, renewed: bool) -> dict[str, Any]:
        """Return what the reply to a saved form shows besides `shown`: the effect of the press.

        `renewed`: the response had to be adapted to what is given now.
        """
        return {}

    # --- rules ------------------------------------------------------------------------------------

    def check_response(
        self, response: R, given: G, *, touched: Collection[str] | None = None
    ) -> FindingsReport:
        """Run the rules.

        With `touched`, the fields that the person has been in, only their findings are shown;
        everything that blocks is counted all the same.
        """
        untouched = not self.summarise_response(response)
        report = self.rules.run(response, given, touched=touched, untouched=untouched)
        if touched is None:
            return report
        seen = self.list_shown_fields(response, touched, given)
        return replace(
            report, findings=tuple(finding for finding in report.findings if finding.field in seen)
        )

    def list_shown_fields(self, response: R, touched: Collection[str], given: G) -> Collection[str]:
        """Return the fields whose findings are shown, from those the person has been in."""
        return touched

    def list_filled_fields(self, response: R) -> list[str]:
        """Return the fields that have text: only their findings are shown when the page opens."""
        return []

    # --- grading ----------------------------------------------------------------------------------

    def grade_response(self, response: R, item: KnownItem, unanswered: Sequence[str] = ()) -> Grade:
        """Return the grade of what was submitted of a response to an item whose answer is known.

        Here the score is the share of the expected fields that have their value. `unanswered`: what
        the rules still ask for.
        """
        same = [getattr(response, name, None) == value for name, value in item.expected.items()]
        return item.grade_score(sum(same) / len(same) if same else 1.0, unanswered=unanswered)

    # --- showing ----------------------------------------------------------------------------------

    @abstractmethod
    def list_field_texts(self, response: R) -> Iterable[tuple[str, str]]:
        """Return label and text of every field, for comparing two drafts."""

    @abstractmethod
    def summarise_response(self, response: R) -> str:
        """Return the contents of a draft in a few words, "" if it is empty."""

    def form_context(
        self, response: R, report: FindingsReport, given: G, post: FormData
    ) -> dict[str, Any]:
        """Return the context of the form and the reply: `common` and the sheet's own values."""
        return self.common_context(response, report) | {"response": response}

    def common_context(self, response: R, report: FindingsReport) -> dict[str, Any]:
        """Return what every sheet shows: messages, what is still to do, and kept reasons that are
        not visible just now.
        """
        blocking = [
            (finding.summary, self.field_anchor(finding.field, response))
            for finding in report.blocking
        ]
        return {
            "feedback": getattr(response, "feedback", ""),
            "messages_of": [
                (field, label, report.findings_at(field)) for field, label in self.fields.items()
            ],
            "at": {finding.field: report.findings_at(finding.field) for finding in report.findings},
            "idle_keeps": list_idle_keeps(response.keeps, report.findings),
            "checklist": link_checklist_items(
                report.checklist, lambda field: self.field_anchor(field, response)
            ),
            "todo": len(blocking),
            "blocking": blocking,
        }

    def field_anchor(self, field: str, response: R) -> str:
        """Return the id that a link to a field leads to."""
        return field
