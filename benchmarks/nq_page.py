"""The long page of a question of Natural Questions: python -m benchmarks.nq_page [--sections 700]

Loads the demo into a temporary installation, gives one question a page of about 500 kB of HTML, and
asks for its second step, on which the whole page is shown. `first`: the process has not seen the
page; `again`: it has. The parts are timed alone, in the same process. Prints one JSON
object; times in milliseconds.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

SECTION = """<h2>Light {0}</h2>
<p class="lead">The <a href="/wiki/Light_{0}" title="Light {0}">lighthouse</a> number {0} stands on
a rock. It was lit in 1861, and <b>its keeper</b> was Ida Brook, whose brother kept the next one for
<i>nineteen</i> years.<sup id="cite_ref-{0}"><a href="#cite_note-{0}">[{0}]</a></sup> Ships that
came from the north saw it first, and the harbour behind it later.</p>
<table class="infobox"><tr><th scope="row">Height</th><td>31 metres</td></tr>
<tr><th scope="row">Range</th><td>20 miles</td></tr></table>
<ul><li>First keeper: <a href="/wiki/Ida_Brook">Ida Brook</a></li><li>Second keeper: Tom Fell
<ul><li>his sister</li><li>his dog</li></ul></li></ul>
"""


def median(ask: Callable[[], object], times: int) -> float:
    """Return the median of some runs, in milliseconds."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        ask()
        seconds.append(time.perf_counter() - start)
    return round(statistics.median(seconds) * 1e3, 1)


def measure(sections: int, times: int) -> dict[str, float]:
    """Return the sizes of the page and the times of its requests and of their parts."""
    from django.test import Client
    from django.utils import timezone

    from accounts.models import User
    from annotation.models import Assignment, Project
    from annotation.work.taking import take_next
    from demo import loading as demo
    from demo.people import DOMAIN
    from natural_questions import pages, records
    from natural_questions.boxes import boxes_of
    from natural_questions.page_html import page_html
    from natural_questions.parsed_pages import LAST
    from natural_questions.tokens import tokens_of

    demo.load_demo(lambda words: None)
    annotator = User.objects.get(email=f"annotator1@{DOMAIN}")
    project = Project.objects.get(slug="demo-nq")
    turn = take_next(project=project, stage="nq", by=annotator, now=timezone.now())
    assert turn is not None
    page = "".join(SECTION.format(number) for number in range(sections))
    known = {"document_title": "Lights", "document_html": page}
    record = dict(records.complete_record(known, "1", turn.task.question.text))
    pages.keep_page(turn.task.question, "original", record)

    client = Client(SERVER_NAME="localhost")
    client.force_login(annotator, backend="allauth.account.auth_backends.AuthenticationBackend")
    address = f"/work/{turn.pk}/"
    client.post(f"{address}step/", {"step": "question", "version": "0", "good": "yes"})

    def show() -> None:
        answer = client.get(address)
        assert answer.status_code == 200
        assert b"data-boxes" in answer.content

    def save() -> None:
        version = Assignment.objects.values_list("draft_version", flat=True).get(pk=turn.pk)
        fields = {"step": "long", "version": str(version), "box": box, "feedback": f"{version}"}
        answer = client.post(f"{address}draft/", fields, headers={"HX-Request": "true"})
        assert answer.status_code == 200

    def afresh(ask: Callable[[], None]) -> Callable[[], None]:
        def asked() -> None:
            LAST.clear()
            ask()

        return asked

    tokens = tokens_of(record)
    boxes = boxes_of(record, tokens)
    box = boxes[0].key
    show()
    return {
        "html_kb": round(len(page.encode()) / 1e3),
        "tokens": len(tokens),
        "boxes": len(boxes),
        "page_first": median(afresh(show), times),
        "page_again": median(show, times),
        "draft_first": median(afresh(save), times),
        "draft_again": median(save, times),
        "read_record": median(lambda: pages.page_of(turn.task.question), times),
        "find_tokens": median(lambda: tokens_of(record), times),
        "find_boxes": median(lambda: boxes_of(record, tokens), times),
        "make_html": median(lambda: page_html(tokens, boxes), times),
    }


def main() -> None:
    """Measure in a process of its own, which stops the temporary database when it ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sections", type=int, default=700)
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.inside:
        inside(given.sections, given.times)
        return
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # noqa: S103 - the database may run as a user of its own
        environment = os.environ | {"AMBIT_DATA": folder, "LOG_LEVEL": "ERROR"}
        command = [sys.executable, "-m", "benchmarks.nq_page", "--inside"]
        numbers = ["--sections", str(given.sections), "--times", str(given.times)]
        subprocess.run([*command, *numbers], env=environment, check=True)


def inside(sections: int, times: int) -> None:
    """Start the installation under AMBIT_DATA, measure, and print the figures."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    from config import embedded

    embedded.start_if_wanted()
    import django
    from django.core.management import call_command

    django.setup()
    call_command("collectstatic", interactive=False, verbosity=0)
    print(json.dumps(measure(sections, times), indent=2))


if __name__ == "__main__":
    main()
