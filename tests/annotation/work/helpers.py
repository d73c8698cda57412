"""What the engine's tests share: real threads with real connections, and a good response."""

import threading
import time

from django.db import connection

from annotation.generation.responses import GenerationResponse, WrittenPair
from annotation.models import Assignment, Event, Task
from annotation.sheets.answers import AnswerForm
from annotation.stages import registry as stages


def in_parallel(jobs):
    """Run functions at the same moment, each on its own connection.

    Returns what each returned or raised, in order.
    """
    results = [None] * len(jobs)
    barrier = threading.Barrier(len(jobs))

    def run(place, job):
        try:
            connection.ensure_connection()
            barrier.wait(timeout=30)
            results[place] = job()
        except Exception as error:
            results[place] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(jobs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
        assert not thread.is_alive(), "a thread is stuck: two transactions wait for each other"
    return results


def wait_for(condition, seconds=150, every=0.02):
    """Wait until the condition gives something true; returns it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(every)
    raise AssertionError(f"not within {seconds} s: {condition.__name__}")


def wait_until_one_is_blocked():
    """Wait until another connection waits for a lock that somebody holds."""

    def one_is_blocked():
        with connection.cursor() as cursor:
            # Within a transaction the view shows for ever what it showed first.
            cursor.execute("SELECT pg_stat_clear_snapshot()")
            cursor.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() "
                "AND cardinality(pg_blocking_pids(pid)) > 0"
            )
            return cursor.fetchone()[0]

    wait_for(one_is_blocked, seconds=30)


def single(text="1843"):
    return GenerationResponse(kind="single", single=(AnswerForm(text),))


def multiple():
    return GenerationResponse(
        kind="multiple",
        pairs=(
            WrittenPair(
                "When did the Thames Tunnel open to people on foot?", (AnswerForm("1843"),)
            ),
            WrittenPair("When did the Thames Tunnel open to trains?", (AnswerForm("1869"),)),
        ),
    )


def read_a_page(assignment, now, text=None, path="Thames_Tunnel"):
    """Log that a page was opened; with `text`, what was shown there."""
    from wikipedia.models import ShownPage

    if text is not None:
        ShownPage.objects.create(
            snapshot=assignment.project.snapshot,
            path=path,
            title="Thames Tunnel",
            retrieved_at=now,
            text=text,
            text_sha256=str(hash(text)),
        )
    return Event.objects.create(
        assignment=assignment,
        kind="page_open",
        at=now,
        data={"title": "Thames Tunnel", "path": path, "via": "search"},
    )


def easy(project):
    """No waiting before a single answer."""
    project.policies.update(minimum_seconds=0)


def seats_add_up():
    """Assert the invariant of every open task: seats + held and submitted = people asked for."""
    for task in Task.objects.select_related("policy", "question"):
        stage, state = stages.get_stage(task.policy.stage), task.question.state
        # While the question waits, no submission made before decides on it.
        waits = stage.decides and state == stage.opens_in
        counted = ["active", "parked", *([] if waits else ["submitted"])]
        held = Assignment.objects.filter(task=task, state__in=counted, used=True).count()
        closed = state in ("skipped", "excluded") or stage.opens_in not in ("", state)
        asked = task.policy.people if task.people is None else task.people
        wanted = 0 if closed else max(asked - held, 0)
        assert task.seats == wanted, f"task {task.pk}: {task.seats} seats, {held} held"
