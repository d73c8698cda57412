"""Server time of the work page.

In the demo, somebody takes a question, searches, opens an article and saves a draft of two pairs,
and then asks for the page as a browser does on a reload. Each request goes through every
middleware; network and web server are left out.
"""

from dataclasses import dataclass
from itertools import count
from typing import Any

from benchmarks import databases
from benchmarks.harness import Benchmark, option, run_benchmark
from benchmarks.visits import signed_in, time_request

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


def measure_pages(loads: int) -> dict[str, Any]:
    """Return the times of the page, of saving a draft and of My work."""
    databases.load_demo()
    from django.utils import timezone

    from accounts.models import User
    from annotation.models import Project
    from annotation.work.taking import take_next
    from demo.loading import SLUG
    from demo.people import DOMAIN

    annotator = User.objects.get(email=f"annotator1@{DOMAIN}")
    project, now = Project.objects.get(slug=SLUG), timezone.now()
    turn = take_next(project=project, stage="generation", by=annotator, now=now)
    assert turn is not None
    address = f"/work/{turn.pk}/"
    client = signed_in(annotator)
    client.get(f"{address}search/", {"q": "thames tunnel opening"})
    client.get(f"{address}read/Thames_Tunnel", {"via": "search"})
    client.post(f"{address}draft/", DRAFT)
    versions = count(1)

    def save() -> Any:
        version = str(next(versions))
        changed = DRAFT | {"version": version, "none_reason": f"change {version}"}
        return client.post(f"{address}draft/", changed, headers={"HX-Request": "true"})

    return {
        "page_with_article": time_request(lambda: client.get(address), loads),
        "save_draft": time_request(save, loads),
        "my_work": time_request(lambda: client.get("/"), loads),
    }


@dataclass
class WorkPage(Benchmark):
    """How long does the server take for the work page, with an article open?"""

    loads: int = option(300)

    def measure(self) -> Any:
        """Return p50 and p95 of the page, of saving a draft and of My work, in milliseconds."""
        return databases.run_in_demo(measure_pages, self.loads)


if __name__ == "__main__":
    run_benchmark("work_page")
