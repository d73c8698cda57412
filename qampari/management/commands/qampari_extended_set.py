"""manage.py qampari_extended_set PROJECT --by EMAIL"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from accounts.models import User
from annotation.core.refusals import Denied
from annotation.management.base import ProjectCommand
from qampari import extended_set


class Command(ProjectCommand):
    help = (
        "Put questions into the extended set, where people add answers for twelve minutes.\n\n"
        "  manage.py qampari_extended_set lists --by ada@example.org --number 200 --seed 7\n"
        "  manage.py qampari_extended_set lists --by ada@example.org --questions ids.txt\n\n"
        "The same seed draws the same questions. A file names one question id on each line."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--by", required=True, help="e-mail of the member of staff")
        parser.add_argument("--split", default="test", help="the split to draw from (test)")
        parser.add_argument("--number", type=int, default=0, help="how many to draw")
        parser.add_argument("--seed", type=int, default=0, help="of the draw (0)")
        parser.add_argument("--questions", help="path of a file of question ids, instead of a draw")

    def handle(self, *args: Any, **options: Any) -> None:
        project, now = self.get_project(options), timezone.now()
        by = User.objects.filter(email__iexact=options["by"]).first()
        if by is None:
            raise CommandError(f"Nobody here has the address {options['by']}.", returncode=2)
        try:
            if options["questions"]:
                lines = Path(options["questions"]).read_text(encoding="utf-8").splitlines()
                ids = [line.strip() for line in lines if line.strip()]
                done = extended_set.add_questions(project=project, ids=ids, by=by, now=now)
            else:
                done = extended_set.draw_questions(
                    project=project,
                    split=options["split"],
                    number=options["number"],
                    seed=options["seed"],
                    by=by,
                    now=now,
                )
        except (Denied, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error), returncode=2) from None
        self.stdout.write(f"{len(done):,} questions are in the extended set of {project.title}.")
