"""A form of work: what it holds, how it is read, pressed, checked and shown.

A sheet knows no assignment, no request and no row, so that the same one serves the work page, an
exam and a preview. Its response `R` is a frozen dataclass with `keeps` (the warnings that were
kept) and, where people may write to the team, `feedback`.

What else rules and page may know is in `given`, a value of type `G` that its stage makes
(`Stage.given`) and that has at least `settings`, the project's settings of rules. `given` depends
on the turn, not on the response: what costs a query is a function there, asked when it is needed
(the person's own quotes, the texts of pages that were opened).

To write one: declare its values and their `fields.Form`, its `report.Rules`, and a class with
`page`, `reply`, `ended`, `form`, `rules`, `blank`, `texts` and `summary`, mostly also `written` and
`shown`; what else is here has an ordinary answer. `post` is the form as it was sent; only what is
no part of the response (words beside a button, ticks) is read from it a second time.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

from annotation.sheets.fields import Form, FormData
from annotation.sheets.parts import idle, items
from annotation.sheets.report import Report, Rules
from annotation.sheets.rules import HasKeeps, HasSettings

R = TypeVar("R", bound=HasKeeps)
G = TypeVar("G", bound=HasSettings)


class Sheet(ABC, Generic[R, G]):
    """A form of work, on responses of type R, knowing G.

    page, reply, ended: the templates of the whole page, of the reply to a script, and of work that
    is not in hand; fields: the ids of the fields at which rules speak, in the order of the page,
    each with what it is called; script: the module of `static/js/` for what is its own; reads:
    whether Wikipedia stands beside it.
    """

    page: ClassVar[str]
    reply: ClassVar[str] = "annotation/reply.html"
    ended: ClassVar[str] = "annotation/ended.html"
    fields: ClassVar[Mapping[str, str]] = {}
    script: ClassVar[str] = ""
    reads: ClassVar[bool] = True
    form: Form[R]
    rules: Rules[R, G]
    blank: R

    # --- reading and keeping ----------------------------------------------------------------------

    def read(self, post: FormData, given: G) -> R:
        """Return what is on the form. Raises ResponseError with a sentence where it cannot be."""
        return self.form.from_post(post)

    def load(self, draft: Mapping[str, object]) -> R:
        """Return a stored draft; nothing stored yet is `blank`."""
        return self.form.from_json(draft) if draft else self.blank

    def dump(self, response: R) -> dict[str, object]:
        """Return what a draft holds."""
        return self.form.to_json(response)

    def fitted(self, response: R, given: G) -> R:
        """Return the response brought up to what is given now, where that may change meanwhile."""
        return response

    def settled(self, response: R) -> R:
        """Return what is submitted of the response."""
        return response

    # --- presses ----------------------------------------------------------------------------------

    def pressed(self, response: R, press: str, given: G, post: FormData) -> R:
        """Return the response after a press on a button of the form: a verb and what it is about.

        Unknown presses, and "save", change nothing. Raises ResponseError with a sentence where the
        press cannot do what it says.
        """
        return response

    def anchor(self, response: R, press: str, before: R) -> str:
        """Return the id of what the person looks at after the press."""
        return "write"

    def followed(self, response: R, press: str, before: R, *, renewed: bool) -> dict[str, Any]:
        """Return what the reply to a saved form shows beside `shown`: what the press did.

        `renewed`: what was sent had to be fitted to what is given now.
        """
        return {}

    # --- rules ------------------------------------------------------------------------------------

    def report(self, response: R, given: G, *, touched: Collection[str] | None = None) -> Report:
        """Run the rules.

        With `touched`, the fields that the person has been in, only what belongs to those is
        shown; what blocks is counted all the same.
        """
        report = self.rules.run(response, given, touched=touched)
        if touched is None:
            return report
        seen = self.seen(response, touched, given)
        return replace(
            report, findings=tuple(finding for finding in report.findings if finding.field in seen)
        )

    def seen(self, response: R, touched: Collection[str], given: G) -> Collection[str]:
        """Return the fields at which a rule may speak, from those the person has been in."""
        return touched

    def written(self, response: R) -> list[str]:
        """Return the fields that have text: only there a rule speaks when the page opens."""
        return []

    # --- showing ----------------------------------------------------------------------------------

    @abstractmethod
    def texts(self, response: R) -> Iterable[tuple[str, str]]:
        """Return label and text of every field, for comparing two drafts."""

    @abstractmethod
    def summary(self, response: R) -> str:
        """Return what a draft holds in a few words, "" where that is nothing."""

    def shown(self, response: R, report: Report, given: G, post: FormData) -> dict[str, Any]:
        """Return what the form and the reply to it show; `common` with what is the sheet's own."""
        return self.common(response, report) | {"response": response}

    def common(self, response: R, report: Report) -> dict[str, Any]:
        """Return what every sheet shows: messages, what is still to do, and reasons nobody sees
        just now."""
        blocking = [
            (finding.summary, self.place(finding.field, response)) for finding in report.blocking
        ]
        return {
            "feedback": getattr(response, "feedback", ""),
            "messages_of": [
                (field, label, report.at(field)) for field, label in self.fields.items()
            ],
            "at": {finding.field: report.at(finding.field) for finding in report.findings},
            "idle_keeps": idle(response.keeps, report.findings),
            "checklist": items(report.checklist, lambda field: self.place(field, response)),
            "todo": len(blocking),
            "blocking": blocking,
        }

    def place(self, field: str, response: R) -> str:
        """Return the id that a link to a field leads to."""
        return field
