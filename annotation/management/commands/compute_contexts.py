"""manage.py compute_contexts PROJECT"""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from annotation.contexts.searches import count_unsearched
from annotation.contexts.services import ParagraphCounts, record_search, search_contexts
from annotation.core.models.projects import Project
from annotation.core.refusals import Conflict
from annotation.management.base import ProjectCommand
from wikipedia.management.progress import ProgressBar
from wikipedia.providers.base import ProviderUnavailable


class Command(ProjectCommand):
    help = (
        "Look for the context paragraphs of a project of long answers.\n\n"
        "  manage.py compute_contexts lund\n\n"
        "For each disambiguation without a paragraph of its own in the file: of the paragraphs of\n"
        "the question's pages that hold an accepted short answer, the one most like it (TF-IDF).\n"
        "Only questions that no one has opened are looked at, and each once unless an import has\n"
        "changed it; --again looks at all of them anew. An interrupted run continues where it\n"
        "stopped. --json prints questions, opened, disambiguations, given, found, shown, without,\n"
        "pages, pages_missing and missing (the first 20 titles)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--again",
            action="store_true",
            help="search again for questions that were searched before",
        )
        parser.add_argument("--json", action="store_true", help="print the counts as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        tally = ParagraphCounts()
        try:
            self._compute(project, options["again"], tally)
        except Conflict as refusal:
            raise CommandError(str(refusal), returncode=2) from None
        except ProviderUnavailable as problem:
            raise CommandError(
                f"Stopped after {tally.questions:,} questions: {problem} "
                "Run the same command again to continue from there.",
                returncode=1,
            ) from problem
        finally:
            if tally.questions:
                record_search(project=project, tally=tally, now=timezone.now())
        if options["json"]:
            self.stdout.write(json.dumps(tally.as_json()))
        else:
            self.stdout.write(_said(tally))

    def _compute(self, project: Project, again: bool, tally: ParagraphCounts) -> None:
        again_before = timezone.now() if again else None
        total = count_unsearched(project, again_before=again_before)
        with ProgressBar(sys.stderr, "Looking for paragraphs", "questions") as progress:
            search_contexts(
                project=project,
                now=timezone.now,
                again_before=again_before,
                tally=tally,
                on_save=lambda done, tally: progress(done, max(total, done)),
            )


def _said(tally: ParagraphCounts) -> str:
    sentence = (
        f"{tally.questions:,} questions with {tally.disambiguations:,} disambiguations: "
        f"{tally.given:,} came with a paragraph, for {tally.found:,} one was found "
        f"({tally.shown:,} at or above the threshold), {tally.without:,} have none. "
        f"{tally.pages_missing:,} of {tally.pages:,} pages named were not found"
    )
    names = ", ".join(tally.missing)
    return f"{sentence}{f': {names}' if names else ''}{', …' if len(tally.missing) == 20 else ''}."
