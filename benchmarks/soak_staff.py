"""The researchers of the soak: they import, export, cancel, compute figures and look at pages."""

import asyncio
import json
import time
from typing import Any

from benchmarks.crowd import Reply, Visitor
from benchmarks.hosts import build_upload
from benchmarks.soak_people import Persistent, Watched

FEW, MANY = 200, 6_000  # questions of a file
LOOK_SECONDS, JOB_SECONDS = 0.5, 240.0
LONG_REST = 8.0  # times as long as other people think
ENDED = ("done", "failed", "cancelled")


class Researcher(Persistent):
    """Somebody who manages a project of files and reads the figures of the others."""

    def __init__(
        self, crowd: Watched, visitor: Visitor, token: str, *, files: str, others: list[str]
    ) -> None:
        super().__init__(crowd, visitor, files)
        self.others, self.reports = others, list[str]()
        self.headers = f"Accept: application/json\r\nAuthorization: Token {token}\r\n"

    async def ask_api(self, kind: str, method: str, path: str) -> Reply:
        """Send a request as a program of this person."""
        headers = f"{self.headers}Content-Type: application/json\r\n"
        return await self.ask(kind, method, f"/api/v1/projects/{path}", b"", headers)

    async def upload(self, count: int, *, cancelled: bool = False) -> int:
        """Upload a file of this many questions; return its job."""
        uploads = self.crowd.journal.uploads
        first, self.crowd.uploaded = self.crowd.uploaded, self.crowd.uploaded + count
        body, kind = build_upload(first, count)
        path = f"/projects/{self.slug}/import/"
        reply = await self.ask("upload", "POST", path, body, f"Content-Type: {kind}\r\n")
        if not reply.location:
            self.crowd.wrong.append(f"An upload was refused with {reply.status}.")
            return 0
        job = int(reply.location.rstrip("/").rpartition("/")[2])
        uploads[job] = (first, 0 if cancelled else count)
        return job

    async def await_job(self, job: int, seconds: float = JOB_SECONDS) -> str:
        """Wait until a job has ended; return its state then, "" if it has not in time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            reply = await self.ask_api("API: job", "GET", f"{self.slug}/jobs/{job}/")
            if reply.status == 200 and (state := json.loads(reply.body)["state"]) in ENDED:
                return str(state)
            await asyncio.sleep(LOOK_SECONDS)
        return ""

    async def cancel_jobs(self) -> list[str]:
        """Upload two long files, and cancel one as it waits or runs and one a moment later."""
        states = []
        for rest in (0.0, 1.0):
            job = await self.upload(MANY, cancelled=True)
            await asyncio.sleep(rest)
            await self.post("cancel", f"/projects/{self.slug}/jobs/{job}/cancel/")
            states.append(await self.await_job(job))
        return states

    async def compute_figures(self) -> None:
        """Compute a report of a project, and wait for it."""
        slug = self.chance.choice(self.others)
        reply = await self.ask_api("API: reading", "GET", f"{slug}/reports/")
        if reply.status != 200:
            self.crowd.wrong.append(f"The reports of {slug} were refused with {reply.status}.")
            return
        listed = json.loads(reply.body)
        path = f"{slug}/reports/{self.chance.choice(listed)['key']}/"
        await self.ask_api("figures", "POST", path)
        end = time.monotonic() + JOB_SECONDS
        while time.monotonic() < end:
            if (await self.ask_api("API: figures", "GET", path)).status == 200:
                return
            await asyncio.sleep(LOOK_SECONDS)
        self.crowd.wrong.append(f"Figures of {path} were not there after {JOB_SECONDS:.0f} s.")

    async def export(self) -> None:
        """Download the annotations of a project."""
        slug = self.chance.choice(self.others)
        await self.ask("export", "GET", f"/projects/{slug}/export/annotations/")

    async def look(self) -> None:
        """Open the pages of a project that only its team sees."""
        slug = self.chance.choice(self.others)
        for page in ("", "monitoring/", "log/", "people/", "reports/"):
            await self.ask("pages of the team", "GET", f"/projects/{slug}/{page}")


async def research(person: Researcher) -> bool:
    """Do what researchers do, each thing once."""
    steps: list[Any] = [
        person.look,
        lambda: person.upload(FEW),
        person.export,
        person.compute_figures,
        person.cancel_jobs,
    ]
    for step in steps:
        await step()
        await person._hang_up()  # a connection that is idle for long is closed by the server
        await person.rest(LONG_REST)
    return True
