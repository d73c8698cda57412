"""manage.py judge_study PROJECT [--study N] [--add MODEL --allow | --run N | --results | …]"""

from argparse import ArgumentParser
from typing import Any

import orjson
from django.core.management.base import CommandError
from django.utils import timezone

from accounts.models import User
from annotation.core.refusals import Conflict, Denied
from annotation.figures import services as figures_services
from annotation.jobs import services as jobs_services
from annotation.management.base import ProjectCommand
from annotation.models import Project
from evaluation.models import Study
from modeling.judges import queries as judges_queries
from modeling.judges import services as judges_services
from modeling.judges.figures import find_figures, place_figures
from modeling.judges.models import JudgeModel


class Command(ProjectCommand):
    help = (
        "Let language models judge a study beside people.\n\n"
        "  manage.py judge_study crossings --study 3 --add endpoint --allow --by ana@example.org\n"
        "  manage.py judge_study crossings --study 3 --run 1 --by ana@example.org\n"
        "  manage.py judge_study crossings --study 3\n"
        "  manage.py judge_study crossings --study 3 --results\n\n"
        "--add takes endpoint (AMBIT_LLM_URL) or local (the weights of “language-model”); with\n"
        "--allow the questions and answers of the study may be sent there. --run asks the model\n"
        "of that number what it was not asked yet, as a job of a worker; --cancel stops that job.\n"
        "Without any of them it lists the judge models and how far they are. --results computes\n"
        "the figures and prints them as one JSON object.\n"
        "Exit status 2: bad input, or it cannot be done now."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--study", type=int, metavar="N", required=True, help="its number")
        parser.add_argument("--by", metavar="EMAIL", help="who of the project’s staff does it")
        parser.add_argument("--allow", action="store_true", help="what --add names is sent items")
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--add", choices=JudgeModel.Talker.values, metavar="MODEL")
        what.add_argument("--run", type=int, metavar="N")
        what.add_argument("--cancel", type=int, metavar="N")
        what.add_argument("--results", action="store_true")

    def handle(self, *args: Any, **options: Any) -> None:
        study = self._find_study(self.get_project(options), options["study"])
        try:
            if options["add"]:
                self._add(study, options)
            elif options["run"] is not None:
                self._run(self._find_judge(study, options["run"]), self._find_person(options))
            elif options["cancel"] is not None:
                self._cancel(self._find_judge(study, options["cancel"]), self._find_person(options))
            elif options["results"]:
                self._print_results(study)
            else:
                self._list(study)
        except (Conflict, Denied) as problem:
            raise CommandError(str(problem), returncode=2) from None

    def _add(self, study: Study, options: dict[str, Any]) -> None:
        judge = judges_services.add_judge(
            study=study,
            talker=options["add"],
            allowed=options["allow"],
            by=self._find_person(options),
            now=timezone.now(),
        )
        self.stdout.write(f"{judge.pk} {judge.model}")

    def _run(self, judge: JudgeModel, by: User) -> None:
        job = judges_services.start_run(judge=judge, by=by, now=timezone.now())
        self.stdout.write(f"Job {job.pk} asks {judge.model}.")

    def _cancel(self, judge: JudgeModel, by: User) -> None:
        job = judges_queries.find_open_job(judge)
        if job is None:
            raise CommandError(f"{judge.model} is not being asked.", returncode=2)
        jobs_services.cancel_job(job=job, by=by, now=timezone.now())
        self.stdout.write(f"Job {job.pk} stops.")

    def _list(self, study: Study) -> None:
        for row in judges_queries.list_progress(study):
            state = row.job.get_state_display().lower() if row.job else "not asked yet"
            self.stdout.write(
                f"{row.judge.pk} {row.judge.model}: {row.done:,} of {row.asked:,} asked, "
                f"{row.judged:,} judged, {row.refused:,} refused, {row.unreadable:,} unreadable, "
                f"{row.tokens_in + row.tokens_out:,} tokens, {state}"
            )

    def _print_results(self, study: Study) -> None:
        place = place_figures(study)
        figures_services.store_computed(figures_services.compute_figures(place, now=timezone.now()))
        self.stdout.write(orjson.dumps(dict(find_figures(study).payload)).decode())

    def _find_study(self, project: Project, number: int) -> Study:
        study = Study.objects.select_related("project").filter(project=project, pk=number).first()
        if study is None:
            raise CommandError(f"There is no study {number} in {project.slug}.", returncode=2)
        return study

    def _find_judge(self, study: Study, number: int) -> JudgeModel:
        judge = JudgeModel.objects.filter(study=study, pk=number).first()
        if judge is None:
            raise CommandError(f"The study has no judge model {number}.", returncode=2)
        judge.study = study
        return judge

    def _find_person(self, options: dict[str, Any]) -> User:
        person = User.objects.filter(email__iexact=options["by"] or "").first()
        if person is None:
            raise CommandError("Name who does it with --by and their e-mail address.", returncode=2)
        return person
