"""How long scoring takes.

ASQA's dev set as finished work, once and a second time under other ids until there are this many
questions, and two systems that answered all of them: with the first annotator's long answer, and
with the disambiguations and their answers. A reader that gives the first word stands in for
the one with weights, so that what is timed is all but that one. For the first scoring job and for
a second one, of which nothing has changed: seconds, and seconds of the processor.
"""

import io
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import databases
from benchmarks.harness import DATA, Benchmark, option, run_benchmark
from benchmarks.timing import taking

DATABASE = "ambit_scoring"
SYSTEMS = ("Person", "Pairs")


class FirstWord:
    """Answers with the first word of the text: the time of a reader is not of interest here."""

    name = "First word 1"

    def read_answers(self, asked: Sequence[tuple[str, str]]) -> list[str]:
        """Return the first word of each text."""
        return [text.split(None, 1)[0] for _, text in asked]


def records(questions: int) -> dict[str, Any]:
    """Return this many of ASQA’s records by id."""
    folder = Path(os.environ.get("AMBIT_REALDATA", DATA))
    dev = json.loads((folder / "asqa/ASQA.dev.json").read_bytes())["dev"]
    rounds = range(-(-questions // len(dev)))
    every = {f"{key}.{turn}" if turn else key: dev[key] for turn in rounds for key in dev}
    return dict(list(every.items())[:questions])


def fill(questions: int) -> Any:
    """Make the project with its systems; return it with the person who runs it."""
    from django.utils import timezone

    from accounts.models import User
    from annotation.imports.services import import_questions
    from annotation.models import Project
    from evaluation.models import Output, System
    from wikipedia.models import Snapshot

    now = timezone.now()
    person = User.objects.create_user("ann@example.org", "none", name="Ann")
    snapshot = Snapshot.objects.create(
        name="none", kind="zim", archive="missing.zim", as_of=now.date(), created_at=now
    )
    project = Project.objects.create(
        slug="scoring", title="Scoring", protocol="asqa", snapshot=snapshot, created_at=now,
        reference_date=now.date(),
    )  # fmt: skip
    person.memberships.create(project=project, role="admin", created_at=now)
    given = records(questions)
    import_questions(
        project=project, file=io.BytesIO(json.dumps({"dev": given}).encode()), format="asqa",
        split=None, finished=True, by=None, now=now,
    )  # fmt: skip
    made = [System.objects.create(project=project, name=name, created_at=now) for name in SYSTEMS]
    rows = []
    for question in project.questions.iterator():
        record = given[question.external_id]
        pairs = [(pair["question"], pair["short_answers"][0]) for pair in record["qa_pairs"]]
        texts = (
            record["annotations"][0]["long_answer"],
            " ".join(f"{asked} {answer}." for asked, answer in pairs),
        )
        for system, text in zip(made, texts, strict=True):
            details = {"pairs": pairs, "answers": [answer for _, answer in pairs]}
            rows.append(Output(system=system, question=question, text=text, details=details))
    Output.objects.bulk_create(rows, batch_size=500)
    return project, person


def timed(project: Any, person: Any) -> dict[str, float]:
    """Run a scoring job and return its seconds."""
    from django.utils import timezone

    from annotation.jobs import services as jobs_services
    from annotation.models import Job
    from evaluation.scoring import services as scoring_services

    with taking() as taken:
        job = scoring_services.start_scoring_job(
            project=project, split="dev", reader="first-word", by=person, now=timezone.now()
        )
        jobs_services.claim_and_run(job_id=job.pk, clock=timezone.now)
    job = Job.objects.get(pk=job.pk)
    assert job.state == "done", job.problem
    return {"seconds": round(taken.seconds, 1), "processor_s": round(taken.processor, 1)}


@dataclass
class Scoring(Benchmark):
    """How long does a scoring job take, and a second one of which nothing has changed?"""

    questions: int = option(2_002)

    def measure(self) -> dict[str, Any]:
        """Make the project and score it twice."""
        with databases.scratch_database(DATABASE):
            from evaluation.scores import reading

            queue = "annotation.tasks.run_job"
            reading.register(reading.ReaderOption("first-word", "First word", FirstWord, queue))
            project, person = fill(self.questions)
            databases.tidy()
            figures: dict[str, Any] = {"questions": project.questions.count()}
            return figures | {name: timed(project, person) for name in ("first", "unchanged")}


if __name__ == "__main__":
    run_benchmark("scoring")
