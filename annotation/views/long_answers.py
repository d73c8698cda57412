"""The work page of long answers: a text that has every short answer, with evidence."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from annotation import stages
from annotation.checks import Report
from annotation.forms import long_answers as presses
from annotation.long_answers import response as responses
from annotation.long_answers.checks import RULES, Context
from annotation.long_answers.inputs import Inputs
from annotation.long_answers.response import Response
from annotation.models import Assignment
from annotation.queries import concerns, feedback, threads
from annotation.stages.long_answers import LongAnswering
from annotation.views import long_answers_shown as shown
from annotation.views.flow import Flow, resuming
from annotation.views.loaders import UserRequest


def page(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Show the work, or what became of it."""
    return Writing(request, assignment).page()


def draft(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Save what is on the form; a fragment with what the rules say of it, or back to the page."""
    return Writing(request, assignment).draft()


def submit(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Hand the long answer in and go on to the next question."""
    return Writing(request, assignment).submit()


class Writing(Flow[Response, Report]):
    """The page of a long answer."""

    page_template = "annotation/long_answer_view.html"
    reply_template = "annotation/_long_draft.html"

    @cached_property
    def stage(self) -> LongAnswering:
        """The stage as what it is."""
        stage = stages.get(self.assignment.stage)
        assert isinstance(stage, LongAnswering)
        return stage

    @cached_property
    def inputs(self) -> Inputs:
        """What the writer was given: without context it is the prompt alone."""
        return self.stage.inputs(self.assignment)

    def stored(self) -> Response:
        return self.stage.read_draft(self.assignment.draft)

    def read(self) -> Response:
        return responses.from_post(self.request.POST)

    def read_draft(self, draft: Mapping[str, object]) -> Response:
        return self.stage.read_draft(draft)

    def draft_of(self, response: Response) -> dict[str, object]:
        return self.stage.draft_of(response)

    def pressed(self, response: Response, press: str) -> Response:
        return presses.pressed(response, press, inputs=self.inputs, data=self.request.POST)

    def anchor(self, response: Response, press: str) -> str:
        return presses.anchor(response, press)

    def report(self, response: Response, *, touched: Sequence[str] | None) -> Report:
        """Run the rules. A field that nobody has left yet is left in peace; what is missing from
        the text is told all the time, in the list of short answers."""
        report = RULES.run(response, self._context(response), touched=touched)
        if touched is None:
            return report
        seen = shown.seen(response, touched)
        return replace(
            report,
            findings=tuple(
                each
                for each in report.findings
                if each.field in seen or each.field.startswith("answer-")
            ),
        )

    def written(self, response: Response) -> list[str]:
        fields = ["long-answer"] if response.text else []
        for number, piece in enumerate(response.knowledge, start=1):
            fields += [f"piece-{number}"] if piece.content else []
            fields += [f"page-{number}"] if piece.page else []
        return fields

    def texts(self, response: Response) -> Iterable[tuple[str, str]]:
        return shown.texts(response)

    def shown(self, response: Response, report: Report, *, show_problems: bool) -> dict[str, Any]:
        context = self._context(response)
        return shown.form_context(
            self.assignment, response, report, context, now=self.now, show_problems=show_problems
        )

    def around(self, context: Mapping[str, Any]) -> dict[str, Any]:
        assignment = self.assignment
        opened = "page" in self.request.GET or "search" in self.request.GET
        return shown.readings_context(assignment, self.inputs, context["reading_history"]) | {
            "inputs": self.inputs,
            "left": _left(opened, self.inputs.full),
            "reading": opened,
            "review": feedback.last_for(self.request.user, assignment.project),
            "concern": concerns.own_open(assignment),
            "exclusion": concerns.exclusion(assignment.task.question),
        }

    def ended(self) -> HttpResponse:
        """Show work that is not in hand: what it is, what was written, and how it goes on."""
        assignment = self.assignment
        answer = shown.submitted(assignment)
        context = (answer or shown.written(self.stored())) | {
            "answer": answer,
            "assignment": assignment,
            "project": assignment.project,
            "question": assignment.task.question,
            "threads": threads.on(assignment),
            "section": "work",
        }
        context |= resuming(assignment)
        return render(self.request, "annotation/long_answer_ended.html", context)

    def _context(self, response: Response) -> Context:
        """Return what the rules may know of a response; read once, whatever a press changed."""
        if self._known is None:
            self._known = self.stage.context(self.assignment, response, self.inputs, now=self.now)
        return self._known

    _known: Context | None = None


def _left(opened: bool, full: bool) -> str:
    """Return what the left column shows first: the readings; without any, the search."""
    if opened:
        return "read"
    return "readings" if full else "search"
