"""What is recorded; run by `python -m tests.net`, not with the other tests."""

import datetime as dt
import io
import os
import random
import shutil
from collections import Counter, deque
from contextlib import redirect_stdout
from pathlib import Path
from urllib.parse import urldefrag, urljoin

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client, override_settings
from django.urls import NoReverseMatch, Resolver404, get_resolver, resolve, reverse
from django.utils import timezone
from lxml import html

from accounts.models import User
from annotation.exports import services as exports_services
from annotation.jobs import services as jobs_services
from annotation.models import Assignment, Job, Project
from annotation.people.services import SIGNER
from benchmarks import installation
from demo import loading as demo
from tests import factories, plans
from tests.access import ROWS
from tests.net.blanks import blank_text, describe_bytes, describe_response
from tests.stages.window import Window
from tests.test_access import named_urls, signed_in
from tests.world import make_world
from validation.release import services as release_services

pytestmark = pytest.mark.django_db
OUT = Path(os.environ["NET"])
CHANCE = random.Random(18)
MOMENT = dt.datetime(2026, 3, 2, 9, tzinfo=dt.UTC)
# Pages of one address that each person of the demo opens.
MOST = 8


@pytest.fixture(autouse=True, scope="module")
def same_each_time():
    """Let everything happen at one moment, and let chance fall the same."""
    with (
        pytest.MonkeyPatch.context() as patch,
        override_settings(SECRET_KEY="net", PSEUDONYM_KEY="net"),
    ):
        patch.setattr(SIGNER, "key", "net")  # it was made before, with the key of the checkout
        patch.setattr(timezone, "now", lambda: MOMENT)
        patch.setattr(jobs_services, "wake_workers", lambda job_id: None)
        for module, name in ((os, "urandom"), (random, "_urandom")):
            patch.setattr(module, name, CHANCE.randbytes)
        yield


def record(name, text):
    path = OUT / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def group_by_text(answers):
    """Return persona -> text as one text, with those who get the same together."""
    same = {}
    for who, text in answers.items():
        same.setdefault(text, []).append(who)
    return "\n".join(f"=== {', '.join(people)}: {text}" for text, people in same.items())


def number_rows(first):
    """Let the numbers of new rows begin here, and chance anew: what is rolled back uses both."""
    CHANCE.seed(first)
    random.seed(first)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT setval(format('%%I.%%I', schemaname, sequencename)::regclass, %s) "
            "FROM pg_sequences WHERE schemaname = 'public'",
            [first],
        )


def test_addresses():
    lines = [f"{pattern.pattern}  {name}" for name, pattern in named_urls(get_resolver())]
    record("addresses.txt", "\n".join(lines))


def test_schema(tmp_path):
    call_command("spectacular", file=str(tmp_path / "schema.yml"), verbosity=0)
    record("schema.yml", (tmp_path / "schema.yml").read_text(encoding="utf-8"))


@pytest.mark.patience(20)
def test_what_every_address_answers_to_each_role(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        number_rows(1_000)
        world = make_world()
        clients = signed_in(world)
        for place, (name, row) in enumerate(sorted(ROWS.items()), start=10):
            number_rows(10_000 * place)
            address = reverse(name, args=row.args(world))
            data = row.data(world) if callable(row.data) else row.data
            for method, sent in (("get", None), ("post", data)):
                answers = {
                    who: ask_and_roll_back(client, method, address, sent)
                    for who, client in clients.items()
                }
                record(f"walk/{name.replace(':', '-')}.{method}.txt", group_by_text(answers))
        transaction.set_rollback(True)


def ask_and_roll_back(client, method, address, data):
    """Return what the answer says; what it changed is rolled back."""
    cookies = client.cookies.copy()
    with transaction.atomic():
        number_rows(100_000_000)
        described = describe_response(getattr(client, method)(address, data))
        transaction.set_rollback(True)
    client.cookies = cookies
    return described


@pytest.mark.patience(20)
def test_demo(settings, tmp_path):
    """The demo with all its jobs done: pages as each of its people sees them, and files."""
    settings.AMBIT_DATA = tmp_path / "data"
    settings.AMBIT_DATA.mkdir()
    number_rows(1_000)
    # Packed anew it would have another digest, which answers of models name.
    packed, kept = settings.AMBIT_DATA / "demo.zim", OUT.parent / "demo.zim"
    if kept.exists():
        shutil.copy(kept, packed)
    demo.load_demo(lambda said: None)
    shutil.copy(packed, kept)
    while waiting := Job.objects.filter(state="queued").order_by("pk").first():
        jobs_services.claim_and_run(job_id=waiting.pk, clock=timezone.now)
    projects = list(Project.objects.order_by("pk"))
    for project in projects:
        record_files(project, tmp_path)
        record_figures(project)
    record_pages("nobody", Client(), projects)
    for user in User.objects.filter(email__endswith="@demo.localhost").order_by("pk"):
        client = Client()
        client.force_login(user)
        record_pages(user.email.partition("@")[0], client, projects)


def record_pages(who, client, projects):
    for address, text in follow_links(client, projects):
        name = address.strip("/").replace("/", "+").replace("?", "@") or "start"
        record(f"demo/{who}/{name[:150]}.txt", text)


def record_figures(project):
    for split in ("dev", "test", "train"):
        for command in ("agreement", "tables", "system_scores"):
            record_command(project, command, "--split", split, "--json")
        record_command(project, "tables", "--split", split)
    for study in project.studies.order_by("pk"):
        record_command(project, "study_results", "--study", str(study.pk), "--json")


def follow_links(client, projects):
    """Yield (address, text) of what can be reached by links, and of what hangs on a project."""
    waiting = deque(["/", *hanging_on(projects)])
    seen, counted = set(waiting), Counter()
    while waiting:
        address = waiting.popleft()
        try:
            name = resolve(address.partition("?")[0]).view_name
        except Resolver404:
            continue
        counted[name] += 1
        if counted[name] > MOST * len(projects) or name.startswith("admin:"):
            continue
        with transaction.atomic():
            number_rows(100_000_000)
            answer = client.get(address)
            text = describe_response(answer)
            transaction.set_rollback(True)
        yield address, text
        if not answer.headers.get("Content-Type", "").startswith("text/html"):
            continue
        if answer.streaming or not answer.content.strip():
            continue
        for link in html.fromstring(answer.content).iterfind(".//a[@href]"):
            there = urldefrag(urljoin(address, link.get("href"))).url
            if there.startswith("/") and not there.startswith("//") and there not in seen:
                seen.add(there)
                waiting.append(there)


def hanging_on(projects):
    """Yield the addresses that need nothing but a project, of every project."""
    for name, _ in named_urls(get_resolver()):
        for project in projects:
            try:
                yield reverse(name, args=[project.slug])
            except NoReverseMatch:
                break


def record_files(project, folder):
    """Record every export and release; of a format that does not fit, the sentence."""
    for command, formats in (
        ("export", exports_services.formats_by_key()),
        ("release", release_services.layouts_by_key()),
    ):
        for format in formats:
            target = folder / f"{project.slug}-{command}-{format}.zip"
            said = run_command(command, project.slug, "--format", format, "--output", str(target))
            files = describe_bytes(target.read_bytes()) if target.exists() else ""
            record(f"files/{project.slug}/{command}-{format}.txt", f"{said}\n{files}")


def record_command(project, name, *options):
    words = "".join(options).strip("-")
    record(f"commands/{project.slug}/{name}-{words}.txt", run_command(name, project.slug, *options))


def run_command(name, *arguments):
    """Return what a command prints, or the sentence it ends with."""
    out = io.StringIO()
    try:
        with redirect_stdout(out):
            call_command(name, *arguments, stdout=out, stderr=out)
    except CommandError as error:
        out.write(f"{error} (status {error.returncode})")
    return blank_text(out.getvalue())


REAL = (
    ("ambigqa", "ambignq", "ambignq/ambignq_full_300_of_dev.json"),
    ("ambigqa", "ambignq", "ambignq/dev_light.json"),
    ("asqa", "asqa", "asqa/ASQA.dev.json"),
    ("qampari", "qampari", "qampari/qampari_dev.json"),
)


@pytest.mark.patience(20)
@pytest.mark.parametrize(("protocol", "format", "file"), REAL)
def test_files_of_real_data(realdata, tmp_path, protocol, format, file):
    number_rows(1_000)
    slug = Path(file).stem.lower().replace("_", "-").replace(".", "-")
    project = factories.make_project(slug=slug, protocol=protocol)
    brought = ("import_questions", slug, str(realdata / file), "--format", format)
    said = run_command(*brought, "--split", "dev", "--finished", "--json")
    record(f"files/{slug}/import.txt", said)
    plans.count_rows()
    record_files(project, tmp_path)
    record_command(project, "agreement", "--json")
    record_command(project, "tables", "--json")


@pytest.mark.patience(20)
@pytest.mark.django_db(transaction=True)
def test_plans_of_somebody_who_works():
    """How PostgreSQL would run each statement between taking a question and handing it in."""
    number_rows(1_000)
    [project, *_] = installation.fill(questions=4_000, assignments=20_000)
    plans.analyse()
    user = User.objects.get(email="annotator1@big.example.org")
    Assignment.objects.filter(user=user, state="open").delete()
    window, explained = Window(user, project, "generation"), []

    def explain(execute, sql, params, many, context):
        if sql.lstrip().startswith(plans.EXPLAINED) and not many:
            with connection.connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN (COSTS OFF) {sql}", params)
                plan = "\n".join(row[0] for row in cursor.fetchall())
            explained.append(f"{sql}\n{plan}")
        return execute(sql, params, many, context)

    with connection.execute_wrapper(explain):
        window.take()
        window.post("draft")
        window.post("submit", {**window.fields, "kind": ["none"]})
    record("plans.txt", blank_text("\n\n".join(explained)))
