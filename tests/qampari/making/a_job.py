"""Run jobs that make questions, in processes that are killed: python -m …making.a_job.

A line of JSON of the standard input names a job and when it is to be killed: "page N", as the Nth
page is opened; "save N", in the transaction of the Nth row of progress, after its verdicts; "tasks
1", in that of the questions; "result 2", after it; a number of seconds, by this process; "" for
never. Each is a fork of one
process that has loaded everything. A line of JSON says of each by which signal it ended, and after
how many seconds.
"""

import json
import os
import signal
import sys
import time

import django


def kill_itself_at(number, function):
    """Return the function as it was until it is called so often."""
    calls = 0

    def call(*given, **named):
        nonlocal calls
        calls += 1
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*given, **named)

    return call


def run(job_id, moment):
    from django.utils import timezone

    from annotation.imports import services as imports_services
    from annotation.jobs import services as jobs_services
    from qampari.making import jobs, pages

    jobs._QUERIES_AT_ONCE = 1  # so that there is progress on a graph this small
    kind, _, number = moment.partition(" ")
    places = {
        "page": (pages.SnapshotPages, "_read"),
        "save": (jobs_services.RunningJob, "save"),
        "tasks": (imports_services, "open_tasks"),
        "result": (imports_services.ImportCounts, "as_json"),
    }
    if kind in places:
        place, name = places[kind]
        setattr(place, name, kill_itself_at(int(number), getattr(place, name)))
    jobs_services.claim_and_run(job_id=job_id, clock=timezone.now)


def run_in_fork(job_id, moment):
    """Return the signal that has ended a run, 0 for none, and its seconds."""
    began = time.monotonic()
    child = os.fork()
    if not child:
        run(job_id, moment if isinstance(moment, str) else "")
        os._exit(0)
    if not isinstance(moment, str):
        time.sleep(moment)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if code := os.waitstatus_to_exitcode(status) > 0:
        sys.exit(f"a run ended with {code}")
    return {"signal": os.WTERMSIG(status), "seconds": time.monotonic() - began}


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    for line in sys.stdin:
        sys.stdout.write(f"{json.dumps(run_in_fork(*json.loads(line)))}\n")
        sys.stdout.flush()
