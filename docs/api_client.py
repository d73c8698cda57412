"""A client of Ambit's API, to copy from: it answers a question, validates one, compares systems.

    ambit = Ambit("https://ambit.example", token)
    for project in ambit.every("projects/"):
        ...
    annotate(ambit, "crossings", query="Thames Tunnel", pairs={
        "When did the Thames Tunnel open to pedestrians?": "25 March 1843",
        "When did the first train run through the Thames Tunnel?": "7 December 1869",
    })
    for row in score_baselines(ambit, "crossings", "dev", {"bm25": {"top": "20"}}):
        ...

It needs nothing but Python.
"""

import json
import secrets
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

TRIES = 5
SECONDS = 2.0  # between two looks at a job


class Refused(Exception):
    """Ambit said no: `status`, and `body` with the sentence and what else there is."""

    def __init__(self, status: int, body: dict[str, Any]) -> None:
        super().__init__(f"{status}: {body.get('detail', body)}")
        self.status, self.body = status, body


class Ambit:
    """Requests with a token, each answered with its JSON; None where there is nothing."""

    def __init__(self, address: str, token: str) -> None:
        self.base, self.token = f"{address}/api/v1/", token

    def get(self, path: str) -> Any:
        """Look at something; nothing changes."""
        return self._send("GET", path)

    def post(self, path: str, /, **body: Any) -> Any:
        """Do something. Raises Refused."""
        return self._send("POST", path, json.dumps(body).encode())

    def delete(self, path: str) -> None:
        """Delete something. Raises Refused."""
        self._send("DELETE", path)

    def download(self, path: str) -> bytes:
        """Return a file. Raises Refused."""
        return self._ask("GET", path, None, "application/json")

    def upload(self, path: str, file: Path, **fields: str) -> Any:
        """Send a file with the fields of a form, such as an import. Raises Refused."""
        limit = secrets.token_hex(16)
        head = f'--{limit}\r\nContent-Disposition: form-data; name="'
        parts = [f'{head}{name}"\r\n\r\n{text}\r\n'.encode() for name, text in fields.items()]
        parts.append(f'{head}file"; filename="{file.name}"\r\n\r\n'.encode())
        body = b"".join([*parts, file.read_bytes(), f"\r\n--{limit}--\r\n".encode()])
        content = self._ask("POST", path, body, f"multipart/form-data; boundary={limit}")
        return json.loads(content)

    def await_job(self, project: str, job: dict[str, Any]) -> dict[str, Any]:
        """Return a job once it has ended. Raises Refused where it failed or was stopped."""
        while job["state"] in ("queued", "running"):
            time.sleep(SECONDS)
            job = self.get(f"projects/{project}/jobs/{job['id']}/")
        if job["state"] != "done":
            raise Refused(200, {"detail": job["problem"] or f"The job was {job['state']}."})
        return job

    def every(self, path: str) -> Iterator[dict[str, Any]]:
        """Give the rows of a list, page after page."""
        following: str | None = path
        while following:
            page = self.get(following)
            yield from page["results"]
            following = page["next"] and page["next"].partition("/api/v1/")[2]

    def _send(self, method: str, path: str, body: bytes | None = None) -> Any:
        content = self._ask(method, path, body, "application/json")
        return json.loads(content) if content else None

    def _ask(self, method: str, path: str, body: bytes | None, kind: str) -> bytes:
        headers = {"Authorization": f"Token {self.token}", "Content-Type": kind}
        request = urllib.request.Request(  # noqa: S310 - the address is the caller's own
            self.base + path, data=body, headers=headers, method=method
        )
        for attempt in range(1, TRIES + 1):
            try:
                with urllib.request.urlopen(request) as answer:  # noqa: S310
                    content: bytes = answer.read()
                    return content
            except urllib.error.HTTPError as error:
                # Too many requests, or Wikipedia does not answer: both say when to come back.
                wait = error.headers["Retry-After"]
                if wait is None or attempt == TRIES:
                    raise Refused(error.code, json.loads(error.read() or b"{}")) from None
                time.sleep(int(wait))
        raise AssertionError


def annotate(
    ambit: Ambit, project: str, *, query: str, pairs: Mapping[str, str]
) -> dict[str, Any] | None:
    """Take a question of AmbigQA, read a page, and answer it with quotes of that page.

    pairs: disambiguated questions with their answers, in the words of the page. Returns the
    submitted work; None if no question is ready.
    """
    work = ambit.post(f"projects/{project}/work/generation/")
    if work is None:
        return None
    search = ambit.post(f"work/{work['id']}/search/", query=query)
    result = search["results"][0]
    page = ambit.post(
        f"work/{work['id']}/read/",
        path=result["path"],
        via="search",
        event=search["event"],
        rank=result["rank"],
    )
    written = []
    for number, (question, answer) in enumerate(pairs.items(), start=1):
        quote = ambit.post(
            f"work/{work['id']}/quotes/", path=page["path"], exact=answer, target=str(number)
        )
        written.append({"question": question, "answers": [{"text": answer, "quote": quote["id"]}]})
    return submit(ambit, work, work["response"] | {"kind": "multiple", "pairs": written})


def validate(
    ambit: Ambit, project: str, *, is_correct: Callable[[dict[str, Any]], bool]
) -> dict[str, Any] | None:
    """Take a question to validate, and say of each annotation whether it is correct.

    Returns the submitted work; None if no question is ready.
    """
    work = ambit.post(f"projects/{project}/work/validation/")
    if work is None:
        return None
    verdicts = [is_correct(annotation) for annotation in work["given"]["annotations"]]
    return submit(ambit, work, work["response"] | {"verdicts": verdicts})


def submit(ambit: Ambit, work: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    """Submit a response, keeping what only warnings ask about. Raises Refused for errors."""
    address, version = f"work/{work['id']}/submit/", work["version"]
    try:
        done: dict[str, Any] = ambit.post(address, version=version, response=response)
    except Refused as refused:
        findings = refused.body.get("findings", [])
        if refused.status != 422 or any(row["level"] == "error" for row in findings):
            raise
        keeps = [
            {"rule": row["rule"], "field": row["field"], "reason": "Checked against the page."}
            for row in findings
        ]
        version, response = refused.body["version"], response | {"keeps": keeps}
        done = ambit.post(address, version=version, response=response)
    return done


def score_baselines(
    ambit: Ambit, project: str, split: str, baselines: Mapping[str, Mapping[str, str]]
) -> list[dict[str, Any]]:
    """Let baselines answer a split, score every system on it, and return the leaderboard.

    baselines: the options of each by its key. Rows are objects: system, split, answers, and a value
    with its interval for each figure.
    """
    where = f"projects/{project}"
    for key, options in baselines.items():
        run = ambit.post(f"{where}/predictions/", baseline=key, split=split, options=options)
        ambit.await_job(project, run)
    ambit.await_job(project, ambit.post(f"{where}/scores/", split=split))
    panel = ambit.get(f"{where}/reports/systems/leaderboard/?split={split}")
    rows: list[dict[str, Any]] = panel["rows"]
    return rows


def compare_by_people(
    ambit: Ambit, project: str, split: str, systems: list[str], *, size: int, raters: int
) -> dict[str, Any]:
    """Start a blind study of systems, each with another of them on every question.

    systems: their names; the newest version of each is taken. Returns the study.
    """
    newest: dict[str, int] = {}
    for row in ambit.every(f"projects/{project}/systems/"):
        newest.setdefault(row["name"], row["id"])
    draft = ambit.post(
        f"projects/{project}/studies/",
        systems=[newest[name] for name in systems],
        split=split,
        size=size,
        raters=raters,
    )
    started: dict[str, Any] = ambit.post(f"projects/{project}/studies/{draft['id']}/start/")
    return started
