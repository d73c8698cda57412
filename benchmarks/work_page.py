"""Server time of the work page: python -m benchmarks.work_page [--loads 300]

Loads the demo into a temporary installation, takes a question, searches, opens an article, saves
a draft of two pairs, and then asks for the page as a browser does on a reload. Each request goes
through every middleware; network and web server are left out. Prints one JSON object.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

from benchmarks.crowd import spread

DRAFT = {
    "kind": "multiple",
    "version": "0",
    "pair-0-question": "When did the Thames Tunnel open to people on foot?",
    "pair-0-answer": ["25 March 1843", "March 25, 1843"],
    "pair-0-quote": ["", ""],
    "pair-1-question": "When did the Thames Tunnel open to trains?",
    "pair-1-answer": "7 December 1869",
    "pair-1-quote": "",
}


def timed(ask: Callable[[], int], loads: int) -> dict[str, float]:
    """Repeat a request after a warm-up; any status but 200 ends the benchmark."""
    seconds = []
    for number in range(loads + 20):
        start = time.perf_counter()
        status = ask()
        if number >= 20:
            seconds.append(time.perf_counter() - start)
        if status != 200:
            raise SystemExit(f"The page answered {status}.")
    return spread(seconds)


def measure(loads: int) -> dict[str, dict[str, float]]:
    """Return p50 and p95 of the page, of saving a draft and of My work, in milliseconds."""
    from django.test import Client
    from django.utils import timezone

    from accounts.models import User
    from annotation.models import Project
    from annotation.work.taking import take_next
    from demo import loading as demo
    from demo.people import DOMAIN

    demo.load_demo(lambda words: None)
    annotator = User.objects.get(email=f"annotator1@{DOMAIN}")
    turn = take_next(
        project=Project.objects.get(slug=demo.SLUG),
        stage="generation",
        by=annotator,
        now=timezone.now(),
    )
    assert turn is not None
    address = f"/work/{turn.pk}/"
    client = Client(SERVER_NAME="localhost")
    client.force_login(annotator, backend="allauth.account.auth_backends.AuthenticationBackend")
    client.get(f"{address}search/", {"q": "thames tunnel opening"})
    client.get(f"{address}read/Thames_Tunnel", {"via": "search"})
    client.post(f"{address}draft/", DRAFT)
    version = 1

    def save() -> int:
        nonlocal version
        changed = DRAFT | {"version": str(version), "none_reason": f"change {version}"}
        version += 1
        return client.post(f"{address}draft/", changed, headers={"HX-Request": "true"}).status_code

    return {
        "page_with_article": timed(lambda: client.get(address).status_code, loads),
        "save_draft": timed(save, loads),
        "my_work": timed(lambda: client.get("/").status_code, loads),
    }


def main() -> None:
    """Measure in a process of its own, which stops the temporary database when it ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", type=int, default=300)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        inside(given.loads)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - the database may run as a user of its own
        environment = os.environ | {"AMBIT_DATA": folder, "LOG_LEVEL": "ERROR"}
        command = [sys.executable, "-m", "benchmarks.work_page", "--inside"]
        subprocess.run([*command, "--loads", str(given.loads)], env=environment, check=True)


def inside(loads: int) -> None:
    """Start the installation under AMBIT_DATA, measure, and print the figures."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    from config import embedded

    embedded.start_if_wanted()
    import django
    from django.core.management import call_command

    django.setup()
    call_command("collectstatic", interactive=False, verbosity=0)
    print(json.dumps(measure(loads), indent=2))


if __name__ == "__main__":
    main()
