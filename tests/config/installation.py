"""A database of its own for a test that destroys it, with something of everything in it."""

import os
from contextlib import contextmanager
from decimal import Decimal
from uuid import uuid4

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.utils import timezone

from annotation.core.refusals import Conflict
from annotation.exports.services import start_export
from annotation.models import Job, Project
from annotation.pay.services import post_entry
from annotation.protocols import registry as protocols
from annotation.stages import registry as stages
from operations.heartbeats import write_heartbeat
from tests import factories
from tests.annotation.consent.helpers import agree, publish
from tests.stages.scene import make_scene, taken
from tests.template import maintenance
from tests.world import make_world
from validation.release.services import start_release

# The tests that run side by side share a server.
_WORKER = os.environ.get("PYTEST_XDIST_WORKER", "alone")
NAME = f"ambit_test_restored_{_WORKER}"
OWNER = f"ambit_test_owner_{_WORKER}"
WITHOUT_ROWS = {"accounts_session", "cache"}


@contextmanager
def own_database():
    """Have another database in place of the test's: a copy of it, without rows."""
    ours = {key: connection.settings_dict[key] for key in ("NAME", "USER")}
    make_database(template=ours["NAME"])
    connection.settings_dict["NAME"] = NAME
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(ours)
        _command(f"DROP DATABASE IF EXISTS {NAME}")
        _command(f"DROP ROLE IF EXISTS {OWNER}")


def make_database(template="template0"):
    """Make the database anew: whatever was in it is lost."""
    connection.close()
    _command(f"DROP DATABASE IF EXISTS {NAME}")
    _command(f"CREATE DATABASE {NAME} TEMPLATE {template}")


def make_database_of_its_owner():
    """Make the database anew, and use it as someone who owns it and nothing else."""
    connection.close()
    _command(f"DROP DATABASE IF EXISTS {NAME}")
    _command(f"CREATE ROLE {OWNER} LOGIN")
    _command(f"CREATE DATABASE {NAME} OWNER {OWNER} TEMPLATE template0")
    connection.settings_dict["USER"] = OWNER


def _command(statement):
    with maintenance() as cursor:
        cursor.execute(statement)


def fill():
    """Do the work of every stage once, then everything that tests/world.py has; one file waits."""
    now = timezone.now()
    for stage in stages.list_stages():
        scene = make_scene(stage.key, now)
        window = taken(scene.worker, scene.project, stage.key)
        answer = window.post("submit", scene.example.write(window.fields, "costermongers"))
        assert answer.status_code == 302, stage.key
        assert window.row().state == "submitted", stage.key
        post_entry(
            project=scene.project, user=scene.worker, kind="bonus", amount=Decimal(5),
            currency="USD", reason="Well read.", key=uuid4(), by=scene.staff, now=now,
        )  # fmt: skip
    write_heartbeat(name="default@host", kind="worker", queues="default", now=now)
    world = make_world()
    publish(world.project, world.people["admin"], now)
    agree(world.project, world.people["annotator"], now, may_train=True)
    name = default_storage.save("jobs/waiting.jsonl", ContentFile(b'{"id": "1"}\n' * 1000))
    Job.objects.create(
        project=world.project, kind="import", state="queued", created_by=factories.make_user(),
        created_at=now, file=name, file_name="questions.jsonl",
    )  # fmt: skip


def exports():
    """Return the bytes of every export and every release, by project and format."""
    files = {}
    for project in Project.objects.select_related("snapshot").order_by("slug"):
        protocol = protocols.protocol_of(project)
        for kind in protocol.exports:
            try:
                export = start_export(project=project, format=kind.key, by=None, now=timezone.now())
            except Conflict as refusal:  # of judgments that do not fit the layout
                files[project.slug, kind.key] = str(refusal).encode()
            else:
                files[project.slug, kind.key] = b"".join(export.blocks())
        for layout in protocol.layouts:
            release = start_release(
                project=project, format=layout.key, split=None, by=None, now=timezone.now()
            )
            files[project.slug, "release", layout.key] = b"".join(release.blocks())
            for name, content in release.build_companions("data.json").items():
                files[project.slug, "release", layout.key, name] = content
            release.close()
    return files


def tables():
    """Return number and digest of the rows of each table that a backup has."""
    names = set(connection.introspection.table_names()) - WITHOUT_ROWS
    content = {}
    with connection.cursor() as cursor:
        for name in sorted(names):
            cursor.execute(
                f"SELECT count(*), md5(string_agg(row::text, ' ' ORDER BY row::text)) "  # noqa: S608
                f'FROM "{name}" AS row'
            )
            content[name] = cursor.fetchone()
    return content
