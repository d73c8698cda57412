"""An item of a rehearsal as a desk: without a lease, a log, steps or a row."""

import datetime as dt
import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.urls import reverse

from accounts.models import User
from annotation.core.refusals import Conflict, ResponseRefused
from annotation.models import Project, Question
from annotation.sheets.report import FindingsReport
from annotation.stages import registry as stages
from annotation.work.desk import Desk
from annotation.work.drafts import DraftConflict, dump_draft_json
from annotation.work.stage import SheetStage
from evaluation.rehearsals.given import build_rehearsed_context
from evaluation.rehearsals.kept import Rehearsal
from evaluation.systems.models import Output


class RehearsalDesk(Desk):
    """One item of a rehearsal, which its session keeps."""

    def __init__(
        self,
        rehearsal: Rehearsal,
        number: int,
        project: Project,
        *,
        session: SessionBase,
        by: User,
        now: dt.datetime,
    ) -> None:
        self.rehearsal, self.number, self.project = rehearsal, number, project
        self.row = rehearsal.turns[number - 1]
        self.session = session
        self.stage = stages.get_stage(rehearsal.stage)
        assert isinstance(self.stage, SheetStage)
        place = [project.slug, number]
        self.submit_url = reverse("study-try-submit", args=place)
        super().__init__(
            self.stage.sheet,
            address=reverse("study-try-item", args=place),
            draft_url=reverse("study-try-draft", args=place),
            by=by,
            now=now,
        )

    @property
    def is_in_hand(self) -> bool:
        """Whether it is not submitted yet."""
        return not self.row.done

    @cached_property
    def question(self) -> Question:
        """The question of the item. Raises Conflict if it is gone."""
        found = Question.objects.filter(project=self.project, pk=self.row.question).first()
        if found is None:
            raise Conflict("This question is gone. Begin the rehearsal again.")
        found.project = self.project
        return found

    @cached_property
    def given(self) -> Any:
        """What a rater would be given: the same value as from an assignment."""
        row = self.row
        systems = [system for system in (row.first, row.second) if system is not None]
        found = Output.objects.filter(question=self.question, system__in=systems)
        texts = dict(found.values_list("system", "text"))
        if len(texts) < len(systems):
            raise Conflict("An answer of this question is gone. Begin the rehearsal again.")
        return build_rehearsed_context(
            self.rehearsal,
            self.question,
            [texts[system] for system in systems],
            swapped=row.swapped,
        )

    def check_may_look(self) -> None:
        """Refuse nothing: who designs a study may see all of it."""

    def note_warnings(self, report: FindingsReport) -> None:
        """Log nothing: a rehearsal has no log."""

    def save_draft(self, response: Any, version: int) -> None:
        """Keep the draft in the session. Raises DraftConflict if another window was faster, and
        Conflict once it is submitted.
        """
        row = self.row
        if row.done:
            raise Conflict("You have submitted this item of the rehearsal already.")
        draft = json.loads(dump_draft_json(self.sheet.dump(response)))
        if version != row.draft_version and row.draft != draft:
            raise DraftConflict(row.draft, row.draft_version, row.draft_saved_at)
        if row.draft != draft or not row.saved:
            row.draft, row.draft_version = draft, row.draft_version + 1
        row.saved = self.now.isoformat()
        self.rehearsal.keep_in(self.session)

    def submit(self, response: Any) -> int | None:
        """Note that the item is done; return the number of the next one, None after the last.

        Raises ResponseRefused while a rule stops it.
        """
        report = self.check_response(response, touched=None)
        if not report.can_submit:
            raise ResponseRefused(report)
        self.save_draft(response, self.row.draft_version)
        self.row.done = True
        self.rehearsal.keep_in(self.session)
        return self.rehearsal.following

    def check_response(self, response: Any, *, touched: Sequence[str] | None) -> FindingsReport:
        """Run the rules of the sheet, as for a rater."""
        return super().check_response(
            self.sheet.adapt_response(response, self.given), touched=touched
        )
