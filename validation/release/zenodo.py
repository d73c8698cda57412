"""A release as a draft on Zenodo, by its deposit API (https://developers.zenodo.org).

A draft is never published here: a DOI cannot be taken back, so that is for a person to do. The same
release finds its draft again by a keyword, and sends what is missing or has another MD5. What was
published before gets a new version.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import requests
from django.conf import settings

from validation.release.header import name_licence
from validation.release.publishing import (
    SECONDS,
    ZENODO,
    Outgoing,
    OutgoingFile,
    Pushed,
    PushFailed,
    explain_silence,
    explain_status,
)

_MOST = 100
_Deposition = Mapping[str, Any]


def push_to_zenodo(outgoing: Outgoing, token: str) -> Pushed:
    """Send the files of a release to a draft. Raises PushFailed with the sentence to show."""
    with _explained(), requests.Session() as session:
        session.headers["Authorization"] = f"Bearer {token}"
        return _Depositions(session).send(outgoing)


@contextmanager
def _explained() -> Iterator[None]:
    where = settings.ZENODO_URL
    try:
        yield
    except requests.Timeout:
        raise PushFailed(explain_silence(where, late=True)) from None
    except requests.ConnectionError:
        raise PushFailed(explain_silence(where, late=False)) from None
    except (requests.RequestException, KeyError, TypeError, AttributeError):
        raise PushFailed(
            f"{where} answered with something else than Zenodo does. Check ZENODO_URL."
        ) from None


class _Depositions:
    """The depositions of whoever made the token."""

    def __init__(self, session: requests.Session) -> None:
        self.session = session
        self.base = f"{settings.ZENODO_URL}/api/deposit/depositions"

    def send(self, outgoing: Outgoing) -> Pushed:
        published = self._find(outgoing.identity, "published")
        if published and published["metadata"].get("version") == outgoing.version:
            note = "This version is published there already."
            return Pushed(published["links"]["html"], (), len(outgoing.files), note)
        draft = self._find(outgoing.identity, "draft") or self._begin(outgoing, published)
        address = f"{self.base}/{draft['id']}"
        draft = self._ask("PUT", address, json={"metadata": _describe(outgoing)})
        there = self._keep_equal(address, outgoing)
        sent = [file for file in outgoing.files if file.name not in there]
        for file in sent:
            self._upload(draft["links"]["bucket"], file)
        note = "It is a draft: look at it there, add who made it, and publish it."
        return Pushed(draft["links"]["html"], tuple(each.name for each in sent), len(there), note)

    def _find(self, identity: str, status: str) -> _Deposition | None:
        """Return the newest deposition of this release that is a draft, or published."""
        asked = {"status": status, "size": _MOST, "sort": "mostrecent", "q": f'"{identity}"'}
        for deposition in self._ask("GET", self.base, params=asked):
            if identity in deposition["metadata"].get("keywords", ()):
                found: _Deposition = deposition
                return found
        return None

    def _begin(self, outgoing: Outgoing, published: _Deposition | None) -> _Deposition:
        """Make a draft: a new version of what is published, or the first."""
        draft: _Deposition
        if published is None:
            draft = self._ask("POST", self.base, json={"metadata": _describe(outgoing)})
        else:
            made = self._ask("POST", f"{self.base}/{published['id']}/actions/newversion")
            draft = self._ask("GET", made["links"]["latest_draft"])
        return draft

    def _keep_equal(self, address: str, outgoing: Outgoing) -> set[str]:
        """Delete the files of a draft that are none of ours; return the names of the others."""
        digests = {file.name: file.md5 for file in outgoing.files}
        there = set()
        for row in self._ask("GET", f"{address}/files"):
            name, digest = row["filename"], row["checksum"].removeprefix("md5:")
            if digests.get(name) == digest:
                there.add(name)
            else:
                self._ask("DELETE", f"{address}/files/{quote(row['id'], safe='')}")
        return there

    def _upload(self, bucket: str, file: OutgoingFile) -> None:
        with file.path.open("rb") as content:
            self._ask("PUT", f"{bucket}/{quote(file.name, safe='')}", data=content)

    def _ask(self, method: str, address: str, **sent: Any) -> Any:
        """Return the JSON of an answer. The token goes to Zenodo's own addresses alone."""
        if not address.startswith(f"{settings.ZENODO_URL}/"):
            raise PushFailed(f"{settings.ZENODO_URL} named an address elsewhere: {address[:100]}.")
        answer = self.session.request(
            method, address, timeout=SECONDS, allow_redirects=False, **sent
        )
        if not 200 <= answer.status_code < 300:
            said = _read_reason(answer)
            raise PushFailed(explain_status(settings.ZENODO_URL, ZENODO, answer.status_code, said))
        return answer.json() if answer.content else None


def _read_reason(answer: requests.Response) -> str:
    """Return the words with which Zenodo refuses, with the fields that it names."""
    try:
        body = answer.json()
    except requests.JSONDecodeError:
        return ""
    if not isinstance(body, dict):
        return ""
    rows = [row for row in body.get("errors", ()) if isinstance(row, dict)]
    named = (f"{row.get('field', '')}: {row.get('message', '')}" for row in rows)
    return "; ".join([str(body.get("message", "")), *named])


def _describe(outgoing: Outgoing) -> dict[str, Any]:
    """Return the metadata of a draft. Creators are left to whoever publishes it."""
    licence = name_licence(outgoing.licence)
    return {
        "title": outgoing.title,
        "upload_type": "dataset",
        "description": outgoing.description,
        "version": outgoing.version,
        "keywords": ["question answering", "Ambit", outgoing.identity],
        **({"license": licence} if licence else {}),
    }
