"""manage.py benchmark list|release|open|close [PROJECT]"""

from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import CommandError
from django.db.models import Count
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.management.base import Command as BaseCommand
from annotation.models import Project


class Command(BaseCommand):
    help = (
        "Public pages of projects: list them, put a release on one, open and close it.\n\n"
        "  manage.py benchmark list\n"
        "  manage.py benchmark release crossings --layout ambignq\n"
        "  manage.py benchmark open crossings\n"
        "  manage.py benchmark close crossings\n\n"
        "The test split is never on a page. An open page is read without signing in; a closed one\n"
        "is gone at once. --json prints of each project, open, layout and questions.\n"
        "Exit status 2: bad input, nothing was changed."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["list", "release", "open", "close"])
        parser.add_argument("project", nargs="?", help="short name of the project")
        parser.add_argument("--layout", default="", help="of the release")
        parser.add_argument("--json", action="store_true", help="print the list as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["action"] == "list":
            self._list(as_json=options["json"])
            return
        projects = Project.objects.select_related("snapshot")
        project = projects.filter(slug=options["project"] or "").first()
        if project is None:
            raise CommandError(f"There is no project {options['project']!r}.", returncode=2)
        try:
            self.stdout.write(self._change(project, options["action"], options["layout"]))
        except Conflict as conflict:
            raise CommandError(str(conflict), returncode=2) from None

    def _list(self, *, as_json: bool) -> None:
        from evaluation.benchmark.models import Benchmark

        rows = Benchmark.objects.select_related("project").annotate(
            number=Count("released_questions")
        )
        pages = [
            {
                "project": row.project.slug,
                "open": row.is_open,
                "layout": row.layout or None,
                "questions": row.number,
            }
            for row in rows.order_by("project__slug")
        ]
        if as_json:
            self.stdout.write(orjson.dumps(pages).decode())
            return
        for page in pages:
            state = "open" if page["open"] else "closed"
            release = f"{page['questions']:,} questions, {page['layout']}"
            self.stdout.write(
                f"{page['project']}: {state}, release: {release if page['layout'] else 'none'}"
            )

    def _change(self, project: Project, action: str, layout: str) -> str:
        # Reading a release loads what the other commands do without.
        from evaluation.benchmark import releases
        from evaluation.benchmark import services as benchmark_services

        now = timezone.now()
        benchmark = benchmark_services.save_page(project=project, by=None, now=now)
        if action == "release":
            number = releases.make_release(
                benchmark=benchmark, layout=layout or benchmark.layout, by=None, now=now
            )
            return f"{project.slug}: {number:,} questions are on the page."
        benchmark_services.set_open(benchmark=benchmark, is_open=action == "open", by=None, now=now)
        return f"{project.slug}: {'open to everybody' if action == 'open' else 'closed'}."
