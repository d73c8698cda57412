"""The work page of generation: a question is answered and submitted."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from annotation import responses, stages
from annotation.checks import Context, Report, run_checks
from annotation.forms import answers
from annotation.models import Annotation, Assignment
from annotation.queries import threads
from annotation.responses import Response
from annotation.stages.generation import Generation
from annotation.views import generation
from annotation.views.flow import Flow, resuming
from annotation.views.loaders import UserRequest


def page(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Show the work, or what became of it."""
    return Answering(request, assignment).page()


def draft(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Save what is on the form; a fragment with what the rules say of it, or back to the page."""
    return Answering(request, assignment).draft()


def submit(request: UserRequest, assignment: Assignment) -> HttpResponse:
    """Hand the answer in and go on to the next question."""
    return Answering(request, assignment).submit()


class Answering(Flow[Response, Report]):
    """The page of generation."""

    page_template = "annotation/work_view.html"
    reply_template = "annotation/_draft.html"

    @cached_property
    def stage(self) -> Generation:
        """The stage as what it is."""
        stage = stages.get(self.assignment.stage)
        assert isinstance(stage, Generation)
        return stage

    def stored(self) -> Response:
        return self.stage.read_draft(self.assignment.draft)

    def read(self) -> Response:
        return responses.from_post(self.request.POST)

    def read_draft(self, draft: Mapping[str, object]) -> Response:
        return self.stage.read_draft(draft)

    def draft_of(self, response: Response) -> dict[str, object]:
        return self.stage.draft_of(response)

    def pressed(self, response: Response, press: str) -> Response:
        prompt = self.assignment.task.question.prompt
        findings = self.report(response, touched=None).findings
        return answers.pressed(response, press, prompt=prompt, findings=findings)

    def anchor(self, response: Response, press: str) -> str:
        return answers.anchor(response, press)

    def report(self, response: Response, *, touched: Sequence[str] | None) -> Report:
        """Run the rules. A question that is being typed for the first time is left in peace:
        neither errors nor warnings are shown before somebody has been in the field and left it."""
        report = run_checks(response, self._context(response), touched=touched)
        if touched is None:
            return report
        seen = {*touched, "kind", "pages", "time"}
        return replace(report, findings=tuple(e for e in report.findings if e.field in seen))

    def written(self, response: Response) -> list[str]:
        fields = ["kind"] if len(response.pairs) > 2 else []
        for number, pair in enumerate(response.pairs, start=1):
            fields += [f"question-{number}"] if pair.question else []
            fields += [f"answer-{number}"] if pair.answers else []
        fields += ["single-answer"] if response.single else []
        return fields + (["none-reason"] if response.none_reason else [])

    def texts(self, response: Response) -> Iterable[tuple[str, str]]:
        return generation.texts(response)

    def shown(self, response: Response, report: Report, *, show_problems: bool) -> dict[str, Any]:
        return generation.form_context(
            self.assignment, response, report, now=self.now, show_problems=show_problems
        )

    def around(self, context: Mapping[str, Any]) -> dict[str, Any]:
        return {"stage_label": self.stage.label}

    def ended(self) -> HttpResponse:
        """Show work that is not in hand: what it is, what is in it, and how it goes on."""
        assignment = self.assignment
        annotation = Annotation.objects.filter(assignment=assignment).first()
        draft = self.stored()
        context = {
            "assignment": assignment,
            "project": assignment.project,
            "question": assignment.task.question,
            "annotation": annotation,
            "draft": draft,
            "pairs": generation.submitted_pairs(annotation)
            if annotation
            else generation.written_pairs(draft),
            "threads": threads.on(assignment),
            "section": "work",
        } | resuming(assignment)
        return render(self.request, "annotation/work_ended.html", context)

    def _context(self, response: Response) -> Context:
        """Return what the rules may know, read once: presses change no quote."""
        if self._known is None:
            self._known = self.stage.context(self.assignment, response, now=self.now)
        return self._known

    _known: Context | None = None
