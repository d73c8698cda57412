"""The page on which a study is designed: a new one, which is saved nowhere, or a draft.

A draft is made by the first change on the page of a new study, and saved with each change after
it; without scripts, by a button.
"""

import uuid
from typing import Any

from django.contrib import messages
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone

from annotation.access.loaders import UserRequest
from annotation.core.refusals import Conflict
from annotation.models import Project, Split
from annotation.pages.panels import panels_of
from annotation.pages.views import project_page
from evaluation.studies import overview, services
from evaluation.studies.form import MOST_CRITERIA, StudyForm, apply_press
from evaluation.studies.models import Study
from evaluation.studies.overview import AnswersThereAre
from evaluation.studies.preview import Preview, build_preview, check_raters
from evaluation.studies.proposal import propose_study

TAB = "studies"
# Presses that change only what is on the form.
_ON_THE_FORM = ("seed", "add", "remove-")


class DesignPage:
    """One request about the design of a study. study: None until it is saved for the first time."""

    def __init__(
        self, request: UserRequest, project: Project, study: Study | None, form_key: uuid.UUID
    ) -> None:
        self.request, self.project, self.form_key = request, project, form_key
        self.study = study
        self.now = timezone.now()

    # --- what is asked for ------------------------------------------------------------------------

    def show_design(self) -> HttpResponse:
        """Show the draft, or what a new study could be; what is missing where it could be none."""
        there_are = overview.read_answers_there_are(self.project)
        if self.study is not None:
            form = StudyForm(project=self.project, study=self.study)
            systems = list(self.study.systems.all())
            return self.render(form, build_preview(self.study, systems), there_are=there_are)
        if not any(there_are.count_most(split) for split in Split.values):
            return self._render_nothing()
        proposal = propose_study(self.project, there_are)
        form = StudyForm(project=self.project, study=proposal.study, systems=proposal.systems)
        shown = build_preview(proposal.study, proposal.systems)
        return self.render(form, shown, there_are=there_are)

    def change_design(self) -> HttpResponse:
        """Save what was posted and do what was pressed."""
        press = self.request.POST.get("press", "save")
        if press.startswith(_ON_THE_FORM):
            # New fields may still be empty: that is no mistake yet.
            typed = StudyForm(project=self.project, typed=apply_press(self.request.POST, press))
            before = StudyForm(self.request.POST, project=self.project)
            return self.render(typed, self.preview_form(before), opens=True)
        form = StudyForm(self.request.POST, project=self.project)
        if not form.is_valid():
            return self.reply(form) if self._by_script else self.render_refused(form)
        try:
            self._save(form)
            if press == "start" and not self._by_script:
                self._start()
        except Conflict as conflict:
            if self.study is not None:
                self.study.refresh_from_db()
                if self.study.state != Study.State.DRAFT:
                    raise
            form.add_error(None, str(conflict))
            return self.reply(form) if self._by_script else self.render_refused(form)
        return self.reply(form) if self._by_script else self._lead_on(press)

    @property
    def _by_script(self) -> bool:
        return "HX-Request" in self.request.headers

    def _save(self, form: StudyForm) -> None:
        by, now = self.request.user, self.now
        changes, systems = form.design, form.chosen
        if self.study is None:
            self.study = services.keep_draft(
                project=self.project, form_key=self.form_key, changes=changes, systems=systems,
                by=by, now=now,
            )  # fmt: skip
        else:
            services.change_study(
                study=self.study, changes=changes, systems=systems, by=by, now=now
            )

    def _start(self) -> None:
        study = self.study
        assert study is not None
        check_raters(study)
        services.start_study(study=study, by=self.request.user, now=self.now)

    def _lead_on(self, press: str) -> HttpResponse:
        study = self.study
        assert study is not None
        if press == "sample":
            return redirect("study-sample", self.project.slug, study.pk)
        done = "Draft saved."
        if press == "start":
            done = f"{study.title} has started. Its questions are being judged."
        messages.success(self.request, done)
        return redirect("study-view", self.project.slug, study.pk)

    # --- answers ----------------------------------------------------------------------------------

    def preview_form(self, form: StudyForm) -> Preview | None:
        """Return the preview of what a form holds, None while it cannot be read."""
        if set(form.errors) - {NON_FIELD_ERRORS}:  # a refusal of the whole leaves it readable
            return None
        return build_preview(Study(project=self.project, **form.design), form.chosen)

    def render_refused(self, form: StudyForm) -> HttpResponse:
        """Show what is wrong with a form."""
        return self.render(form, self.preview_form(form), status=422)

    def reply(self, form: StudyForm) -> HttpResponse:
        """Answer a script: the parts of the page that follow what is typed."""
        context = {"project": self.project, "swap": True, "problems": form.problems()}
        context |= self._frame(form, self.preview_form(form))
        response = render(self.request, "evaluation/studies/_design_reply.html", context)
        if self.study is not None:
            response["HX-Replace-Url"] = self.address
        return response

    def render(
        self,
        form: StudyForm,
        shown: Preview | None,
        *,
        there_are: AnswersThereAre | None = None,
        opens: bool = False,
        status: int = 200,
    ) -> HttpResponse:
        """Show the whole page. opens: with the settings that are folded unless one is wrong."""
        there_are = there_are or overview.read_answers_there_are(self.project)
        split = form["split"].value()
        split = split if split in Split.values else Split.DEV
        form.offer_splits(there_are)
        context = project_page(self.request, self.project, TAB) | self._frame(form, shown)
        context |= {
            "form": form,
            "opens": opens or bool(form.is_bound and form.errors),
            "answerers": there_are.answerers[split],
            "questions": there_are.questions[split],
            "chosen": {str(value) for value in form["systems"].value() or []},
            "more_criteria": form.number < MOST_CRITERIA,
            "pairings": form.pairings,
        }
        return render(self.request, "evaluation/studies/study_design.html", context, status=status)

    def _render_nothing(self) -> HttpResponse:
        context = project_page(self.request, self.project, TAB)
        context["panels"] = panels_of(self.project, "systems")
        return render(self.request, "evaluation/studies/study_nothing.html", context)

    def _frame(self, form: StudyForm, shown: Preview | None) -> dict[str, Any]:
        return {
            "study": self.study,
            "preview": shown,
            "number_chosen": len(form["systems"].value() or []),
            "form_key": self.form_key,
            "here": self.address,
        }

    @property
    def address(self) -> str:
        """Where the page is, and its form goes."""
        if self.study is None:
            return reverse("study-new", args=[self.project.slug])
        return reverse("study-view", args=[self.project.slug, self.study.pk])
