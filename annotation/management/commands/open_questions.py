"""manage.py open_questions PROJECT [--split dev]"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from annotation.core.models.questions import Question, Split
from annotation.core.refusals import Conflict
from annotation.imports.opening import is_closed, open_questions
from annotation.management.base import ProjectCommand


class Command(ProjectCommand):
    help = (
        "Give questions to people that were imported with --closed.\n\n"
        "  manage.py open_questions crossings --split dev\n\n"
        "Without --split, those of every split. Exit status 2: nothing was waiting."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--split", choices=Split.values, help="only the questions of one split")

    def handle(self, *args: Any, **options: Any) -> None:
        project = self.get_project(options)
        closed = Question.objects.filter(is_closed(project), project=project)
        if options["split"]:
            closed = closed.filter(split=options["split"])
        ids = closed.values_list("pk", flat=True)
        try:
            done = open_questions(project=project, question_ids=ids, by=None, now=timezone.now())
        except Conflict:
            raise CommandError("No question waits to be opened.", returncode=2) from None
        self.stdout.write(f"{done:,} {'question is' if done == 1 else 'questions are'} open now.")
