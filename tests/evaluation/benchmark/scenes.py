"""Rows of public pages: a project with a release, teams, and files of predictions."""

import json

from django.core.files.uploadedfile import SimpleUploadedFile

from annotation.jobs import services as jobs_services
from evaluation.benchmark import services as benchmark_services
from evaluation.benchmark import submitting
from evaluation.models import Benchmark, BenchmarkTeam, TeamSeat
from tests import factories

HIDDEN = 24
SECRET = "Zanzibar"  # in every reference of the test split, and nowhere else


def asqa_record(place, first, second=""):
    """A question with one or two disambiguations."""
    answers = [text for text in (first, second) if text]
    return {
        "ambiguous_question": f"When did bridge {place} open?",
        "qa_pairs": [
            {
                "question": f"When did bridge {place} open to {whom}?",
                "short_answers": [answer],
                "context": None,
                "wikipage": None,
            }
            for whom, answer in zip(("walkers", "trains"), answers, strict=False)
        ],
        "wikipages": [],
        "annotations": [{"long_answer": " and ".join(answers), "knowledge": []}],
    }


def hidden_answer(place):
    return f"{SECRET} {place}"


def asqa_file():
    """Two questions of train, three of dev, and those of the test split."""
    return {
        "train": {"r1": asqa_record("r1", "1843", "1869"), "r2": asqa_record("r2", "1901")},
        "dev": {f"d{n}": asqa_record(f"d{n}", f"18{n}0", f"19{n}0") for n in range(3)},
        "test": {f"t{n}": asqa_record(f"t{n}", hidden_answer(n), "1999") for n in range(HIDDEN)},
    }


def make_benchmark(project, now, **fields):
    """A page as it is stored once it has a release, of which there are no rows."""
    values = {
        "title": "Bridges",
        "licence": "CC BY 4.0",
        "is_open": True,
        "opened_at": now,
        "layout": "asqa" if project.protocol == "asqa" else "ambignq",
        "manifest": "{}",
        "card": "# Bridges",
        "released_at": now,
        "created_at": now,
    }
    return Benchmark.objects.create(project=project, **values | fields)


def make_seat(benchmark, team, user, now):
    """Somebody of a team, which is made if there is none of the name."""
    team, _ = BenchmarkTeam.objects.get_or_create(
        benchmark=benchmark, name=team, defaults={"created_at": now}
    )
    return TeamSeat.objects.create(
        team=team,
        benchmark=benchmark,
        user=user,
        invited_by=user,
        invited_at=now,
        expires_at=now,
        joined_at=now,
    )


def predict(right=HIDDEN, ids=range(HIDDEN)):
    """Predictions of which the first so many have the hidden answer."""
    return {
        f"t{n}": f"In {hidden_answer(n)}." if place < right else "I do not know."
        for place, n in enumerate(ids)
    }


def upload(data, name="predictions.json"):
    content = data if isinstance(data, bytes) else json.dumps(data).encode()
    return SimpleUploadedFile(name, content, "application/json")


def send(benchmark, user, now, data=None, *, run=True, name="BART", shown="named"):
    """Send predictions and score them."""
    entry = submitting.send_predictions(
        benchmark=benchmark,
        file=upload(predict() if data is None else data),
        file_name="predictions.json",
        name=name,
        shown=shown,
        by=user,
        now=now,
    )
    if run:
        jobs_services.claim_and_run(job_id=entry.job_id, clock=lambda: now)
        entry.refresh_from_db()
    return entry


def invite(benchmark, staff, now, team="Reds", email="red@lake.example"):
    return benchmark_services.invite_person(
        benchmark=benchmark, team=team, email=email, by=staff, now=now
    )


def make_team_member(benchmark, team, name, now):
    user = factories.make_user(name=name)
    make_seat(benchmark, team, user, now)
    return user
