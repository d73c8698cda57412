"""Use an installation: run by `python -m tests.upgrades` in the tree of the commit that it names.

So it knows no more of the tree than what has been there for long.
"""

import os
import subprocess
import sys
import time

LONGEST = 1200  # seconds that the jobs of the demo may take


def main() -> None:
    """Load the demo, run its jobs, do the work of every stage, and leave a draft."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    from config import embedded

    embedded.start_if_wanted()
    import django

    django.setup()
    from django.core.management import call_command
    from django.test import override_settings
    from django.test.utils import setup_test_environment

    call_command("load_demo", quiet=True)
    run_jobs()
    setup_test_environment()
    static = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    from django.conf import settings

    with override_settings(
        STORAGES=settings.STORAGES | {"staticfiles": static}, WHITENOISE_AUTOREFRESH=True
    ):
        from tests.config import installation

        leave_draft()
        installation.fill()


def run_jobs() -> None:
    """Let a worker run the jobs that wait, to the last one."""
    from annotation.models import Job

    command = [sys.executable, "manage.py", "worker", "--queues", "default,models"]
    worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        late = time.monotonic() + LONGEST
        while Job.objects.filter(state__in=("queued", "running")).exists():
            if time.monotonic() > late or worker.poll() is not None:
                sys.exit("The worker did not run the jobs of the demo.")
            time.sleep(1)
    finally:
        worker.terminate()
        worker.wait(60)


def leave_draft() -> None:
    """Take a question of the demo as its first annotator, and save the page with a pair on it."""
    from accounts.models import User
    from annotation.models import Project
    from tests.stages.window import Window

    ann = User.objects.get(email="annotator1@demo.localhost")
    window = Window(ann, Project.objects.get(slug="demo"), "generation").take()
    pair = {
        "kind": ["multiple"],
        "pair-0-question": ["When did the tunnel open?"],
        "pair-0-answer": ["25 March 1843"],
        "action": ["save"],
    }
    window.post("draft", {**window.fields, **pair})
    assert "25 March 1843" in str(window.row().draft), "the draft was not saved"


if __name__ == "__main__":
    main()
