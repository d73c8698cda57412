"""Digests of every file that leaves a project: what the code does to them must not change a byte.

A test makes its project under `same_each_time` and calls `check_digests`; `digests.json` has what
was found when each was first written down.
"""

import datetime as dt
import gzip
import hashlib
import itertools
import json
import os
import random
import uuid
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from accounts.models import User
from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.models import Split
from annotation.protocols import registry as protocols
from tests import factories
from tests.qampari import factories as qampari_factories
from validation.release.services import start_release

KNOWN = Path(__file__).with_suffix(".json")
# Whoever runs the tests sees the same: people, numbers and names of a project come from these.
FIRST = 1_000_000
SEQUENCES = "SELECT format('%I.%I', schemaname, sequencename), last_value FROM pg_sequences"


@pytest.fixture
def same_each_time(db, monkeypatch, settings):
    """Let numbers, keys, chance, moment and version be the same at every run."""
    moment = dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)
    chance = random.Random(5)
    settings.PSEUDONYM_KEY = settings.SECRET_KEY = settings.VERSION = "0"
    monkeypatch.setattr(timezone, "now", lambda: moment)
    for module, name in ((os, "urandom"), (random, "_urandom")):
        monkeypatch.setattr(module, name, chance.randbytes)
    for module in (factories, qampari_factories):
        monkeypatch.setattr(module, "_count", itertools.count(1))
    random.seed(5)
    # Not of chance: what a process has done before would decide which keys are left.
    numbers = itertools.count(1)
    monkeypatch.setattr(
        User._meta.get_field("key"), "_get_default", lambda: uuid.UUID(int=next(numbers))
    )
    with connection.cursor() as cursor:
        cursor.execute(SEQUENCES)
        before = cursor.fetchall()
        for name, _ in before:
            cursor.execute("SELECT setval(%s::regclass, %s)", [name, FIRST])
        yield
        for name, last in before:
            cursor.execute("SELECT setval(%s::regclass, %s)", [name, last or 1])


def check_digests(scene, project):
    """Hold every file of the project to the digests of the scene."""
    found = digest_exports(project) | digest_releases(project)
    known = json.loads(KNOWN.read_text(encoding="utf-8")).get(scene, {})
    changed = {
        name: found.get(name) for name in found | known if found.get(name) != known.get(name)
    }
    # If these files were meant to change, these are their digests.
    assert changed == {}


def digest_exports(project):
    """Return the digest of each export, of all work and of what its filters leave, by format."""
    chosen = (Selection(), Selection(split="dev"), Selection(split="train", state="accepted"))
    found = {}
    for format in protocols.protocol_of(project).exports:
        digest = found[f"export {format.key}"] = hashlib.sha256()
        for selection in chosen:
            export = start_export(
                project=project, format=format.key, chosen=selection, by=None, now=timezone.now()
            )
            for block in (*export.blocks(), export.build_manifest("data")):
                digest.update(block)
    return shorten(found)


def digest_releases(project):
    """Return the digest of each kind of file of a layout, over all splits."""
    found = {}
    for layout in protocols.protocol_of(project).layouts:
        for split in (None, *Split.values):
            for ending, content in read_release(project, layout.key, split).items():
                name = f"release {layout.key}{ending}"
                found.setdefault(name, hashlib.sha256()).update(content)
    return shorten(found)


def read_release(project, key, split):
    """Return the files of a release by their endings; tables without how they are packed."""
    release = start_release(
        project=project, format=key, split=split, by=None, now=timezone.now(), tables="json"
    )
    with closing(release):
        files = {"": b"".join(release.blocks())} | release.build_companions("data")
        for table in release.list_tables():
            files[table.ending] = gzip.decompress(table.file.read())
            described = files[".croissant.json"].replace(table.sha256.encode(), b"DIGEST")
            files[".croissant.json"] = described.replace(f'"{table.bytes} B"'.encode(), b"BYTES")
    return files


def shorten(digests):
    """Return digests as the file has them."""
    return {name: digest.hexdigest()[:16] for name, digest in digests.items()}
