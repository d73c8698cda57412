"""The soak's own judgement: what it plans, what it calls lost or doubled, and what it forgives."""

import asyncio
import random
import subprocess
from types import SimpleNamespace

import pytest
from django.utils import timezone

from annotation.models import AuditEntry, Job, Question
from benchmarks import soak_verdict
from benchmarks.crowd import Crowd, Person, Reply, Visitor
from benchmarks.projects import make_people, make_project, new_people, new_project, submitted
from benchmarks.soak_faults import FAULTS, Scene, plan_faults
from benchmarks.soak_memory import Sample, describe_memory
from benchmarks.soak_people import (
    FIRST_MARK,
    Entry,
    Journal,
    Persistent,
    Stopped,
    Watched,
    words_of,
    write_response,
)


def test_every_fault_comes_once_before_any_comes_again():
    planned = plan_faults(list(FAULTS), 2 * len(FAULTS) * 180, 180, seed=7)
    names = [name for _, name in planned]

    assert set(names[: len(FAULTS)]) == set(names[len(FAULTS) :]) == set(FAULTS)
    assert all(0.2 <= moment / 180 - place <= 0.5 for place, (moment, _) in enumerate(planned))
    assert planned == plan_faults(list(FAULTS), 2 * len(FAULTS) * 180, 180, seed=7)
    assert planned != plan_faults(list(FAULTS), 2 * len(FAULTS) * 180, 180, seed=8)
    assert len(plan_faults(list(FAULTS), 45 * 60, 180, seed=0)) == 15 >= len(FAULTS)


class Stubborn:
    """Processes of which one does not end in order."""

    def __init__(self):
        self.killed, self.started = [], []

    def stop(self, part):
        if part == "worker":
            raise subprocess.TimeoutExpired(part, 90)
        return 1.25

    def kill(self, part):
        self.killed.append(part)


def test_a_part_that_does_not_end_in_order_is_told_killed_and_started(crowd):
    processes = Stubborn()
    installation = SimpleNamespace(processes=processes, start=processes.started.append)
    scene = Scene(installation, crowd, None, None, dict)

    assert asyncio.run(FAULTS["web ended in order"](scene)) == "ended after 1.2 s"
    assert (processes.killed, crowd.wrong) == ([], [])
    asyncio.run(FAULTS["worker ended in order"](scene))
    assert processes.killed == ["worker"]
    assert crowd.wrong == ["The worker did not end within 90 s of SIGTERM."]
    assert processes.started == ["web", "worker"]


# --- memory --------------------------------------------------------------------------------------


def life(first, start, growth, seconds=3600, step=60):
    """Give the samples of a process that grows by so many megabytes an hour."""
    moments = range(0, seconds + 1, step)
    return [Sample(start + at, first + growth * at / 3600, 50.0) for at in moments]


def test_growth_is_that_within_lives_and_not_from_one_to_the_next():
    samples = {
        ("web", 1): life(100, 0, 70),
        ("web", 2): life(900, 3700, 70),  # it is larger from the beginning
        ("clock", 3): life(70, 0, 0),
        ("worker", 4): life(100, 0, 600, seconds=400),  # too short
    }
    found = describe_memory(samples)

    assert found["web"]["rss_mb_an_hour"] == 70.0
    assert (found["web"]["lives"], found["web"]["minutes"]) == (2, 110.0)
    assert found["web"]["pss_mb_an_hour"] == found["clock"]["rss_mb_an_hour"] == 0.0
    assert found["worker"]["rss_mb_an_hour"] is None
    assert found["worker"]["minutes"] == 0
    assert soak_verdict.judge_memory(found) == ["web: 70.0 MB more each hour"]
    of_worker = {"minutes": 90.0, "rss_mb_an_hour": 151.0}
    assert soak_verdict.judge_memory({"worker, a process": of_worker}) == [
        "worker, a process: 151.0 MB more each hour"
    ]
    of_worker["rss_mb_an_hour"] = 149.0
    assert soak_verdict.judge_memory({"worker, a process": of_worker}) == []


# --- submissions ---------------------------------------------------------------------------------


def entry(number, mark, *, told=True, unanswered=0, stage="generation"):
    return Entry(stage, number, mark, unanswered, told)


@pytest.mark.parametrize(
    ("sent", "text", "wrong"),
    [
        ([entry(7, 1)], "on foot (note 1)", 0),
        ([entry(7, 1)], "on foot (note 2)", 1),
        ([entry(7, 1)], "on foot", 1),
        ([entry(7, 1), entry(7, 2)], "on foot (note 2)", 0),
        ([entry(7, 1), entry(7, 2)], "on foot (note 1)", 1),  # the change is lost
        ([entry(7, 1), entry(7, 2)], "on foot (note 1) on foot (note 2)", 1),
        ([entry(7, 1), entry(7, 2, told=False, unanswered=1)], "on foot (note 2)", 0),
        ([entry(7, 1), entry(7, 2, told=False)], "on foot (note 2)", 1),  # it was refused
        ([entry(7, 1, told=False, unanswered=1), entry(7, 2)], "on foot (note 1)", 0),
    ],
)
def test_a_text_is_the_last_that_was_acknowledged_or_one_without_an_answer(sent, text, wrong):
    found = soak_verdict.list_other_texts({7: sent}, {7: text}, [7])
    assert len(found) == wrong


def test_the_number_is_in_what_is_written_and_the_rest_is_as_it_was():
    one, other = (write_response("generation", ["5", "6"], mark) for mark in (1, 2))
    assert one["pair-0-question"] != other["pair-0-question"]
    assert {**one, "pair-0-question": 0} == {**other, "pair-0-question": 0}
    assert "(note 3)" in write_response("long_answers", ["5"], 3)["long_answer"][0]
    assert "note" not in str(write_response("validation", [], 3))


@pytest.mark.django_db
def test_what_is_lost_doubled_or_half_there_is_told():
    policy, journal = make_project(5, people=2), Journal()
    submitted(policy, make_people(policy, 1), count=3)  # by rows alone, without an answer
    first, second, third = policy.assignments.order_by("pk")
    for number in (first.pk, second.pk, third.pk + 1):  # the last one was never stored
        journal.write("generation", number).acknowledged = True
    for _ in range(2):
        AuditEntry.objects.create(
            action="assignment_submitted", target=f"assignment:{first.pk}",
            project=policy.project_id, at=timezone.now(),
        )  # fmt: skip
    found = soak_verdict.judge_submissions(journal, {"generation": policy})

    assert {kind: len(sentences) for kind, sentences in found.items()} == {
        "lost": 3,
        "doubled": 1,
        "half": 1,
    }
    assert f"assignment {third.pk + 1}: text {FIRST_MARK + 2} acknowledged" in found["lost"][-1]
    assert soak_verdict.count_wrong([policy]) == {"over_assigned": 0, "seats_wrong": 0}
    assert soak_verdict.judge_work(journal, ["generation", "validation"]) == [
        "nobody could submit validation"
    ]


@pytest.mark.django_db
def test_what_was_parked_has_to_be_parked_still():
    policy, journal = make_project(5, people=2), Journal()
    submitted(policy, make_people(policy, 1), count=1)
    [row] = policy.assignments.all()
    journal.left = {row.pk: "parked"}
    assert soak_verdict.judge_left(journal) == [f"assignment {row.pk} was parked and is submitted"]


@pytest.mark.django_db
def test_jobs_have_to_end_and_questions_of_files_to_be_there():
    now = timezone.now()
    project, journal = new_project("files-1", "ambigqa", now=now), Journal()
    [staff] = new_people("staff{}@example.org", "Staff {}", [1])
    made = {"project": project, "kind": "import", "created_by": staff, "created_at": now}
    jobs = [
        Job.objects.create(**made, state=state, **ended)
        for state, ended in (
            ("queued", {}),
            ("done", {"ended_at": now}),
            ("failed", {"ended_at": now, "problem": "No room."}),
        )
    ]
    journal.uploads = {jobs[1].pk: (10, 3), jobs[0].pk: (20, 0)}
    for number in (10, 12):
        Question.objects.create(
            project=project, external_id=f"q{number}", text="Which?", split="dev", created_at=now
        )
    found = soak_verdict.judge_jobs(journal, project)

    assert found["jobs_failed"] == [f"job {jobs[2].pk} (import) is failed: No room."]
    assert len(found["jobs_unfinished"]) == 1
    assert found["questions_lost"] == [f"job {jobs[1].pk} is done, 1 questions missing"]


# --- people --------------------------------------------------------------------------------------


@pytest.fixture
def crowd():
    return Watched(0, seed=1, pause=0)


def answering(monkeypatch, *answers):
    """Let the server give these answers, one after the other; an exception is none."""
    left = list(answers)

    async def exchange(person, message):
        person.streams = None
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return 0, answer

    monkeypatch.setattr(Person, "_exchange", exchange)
    monkeypatch.setattr("benchmarks.soak_people.AGAIN_SECONDS", 0)


def post(crowd, **options):
    person = Persistent(crowd, Visitor({}))
    return asyncio.run(person.ask("submission", "POST", "/work/7/submit/", b"", **options))


IN = Reply(302, {"location": "/work/8/"}, b"")
BROKEN = Reply(503, {}, b"")


def test_people_ask_until_there_is_an_answer(crowd, monkeypatch):
    answering(monkeypatch, ConnectionError(), ConnectionError(), BROKEN, IN)
    crowd.in_fault, written = True, entry(7, 1)
    assert post(crowd, entry=written) == IN
    assert written.unanswered == 2
    assert soak_verdict.tabulate_errors(crowd) == {
        "calm": {"no answer": 0},
        "fault": {"302": 1, "503": 1, "no answer": 2},
    }
    assert soak_verdict.judge_errors(crowd) == []
    assert soak_verdict.tabulate_latency(crowd).keys() == {"submission, fault"}
    assert soak_verdict.tabulate_latency(crowd)["submission, fault"]["n"] == 1


def test_an_error_in_calm_is_wrong(crowd, monkeypatch):
    answering(monkeypatch, BROKEN, ConnectionError(), IN)
    post(crowd)
    assert soak_verdict.judge_errors(crowd) == [
        "1 answers with 503 in calm",
        "1 requests without an answer in calm",
    ]


def test_what_began_in_a_fault_belongs_to_it(crowd):
    before = crowd.calm_since
    crowd.in_fault = True
    assert crowd.phase_since(before) == "fault"
    crowd.end_fault()
    assert crowd.phase_since(before) == "fault"
    assert crowd.phase_since(crowd.calm_since) == "calm"


def test_a_refused_submission_is_wrong_and_told_in_its_words(crowd, monkeypatch):
    page = b"<nav>Ambit</nav><main class='x'><p>Already <b>17</b> times</p></main>"
    answering(monkeypatch, Reply(409, {}, page))
    assert post(crowd).status == 409
    assert crowd.refusals == {"submission 409": {"Already N times": 1}}
    assert crowd.wrong == ["/work/7/submit/ was refused with 409."]
    assert words_of(Reply(422, {}, b'{"detail": "No."}')) == '{"detail": "No."}'


def test_being_signed_out_is_wrong_and_nobody_waits_after_the_end(crowd, monkeypatch):
    answering(monkeypatch, Reply(302, {"location": "/account/login/"}, b""))
    post(crowd)
    assert "led somebody who had signed in to /account/login/" in crowd.wrong[0]
    answering(monkeypatch, ConnectionError(), ConnectionError())
    crowd.stopping = True
    with pytest.raises(Stopped):
        post(crowd)


def test_a_body_in_chunks_is_read_whole_and_one_that_is_cut_off_is_no_answer():
    chunks = (
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=1\r\n world\r\n"
    )

    async def ask(content):
        async def serve(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(content)
            await writer.drain()
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        person = Person(Crowd(server.sockets[0].getsockname()[1]), [Visitor({})])
        try:
            return (await person.ask("export", "GET", "/")).body
        finally:
            await person._hang_up()
            server.close()

    assert asyncio.run(ask(chunks + b"0\r\n\r\n")) == b"hello world"
    with pytest.raises(asyncio.IncompleteReadError):
        asyncio.run(ask(chunks))


def test_people_differ_by_chance_alone():
    one, other = Watched(0, seed=1, pause=0), Watched(0, seed=1, pause=0)
    assert one.chance.random() == other.chance.random() == random.Random(1).random()
