"""The round of docs/research_round.md: every command of the page as it stands, and the work that
people do between them by the services of the pages."""

import io
import json
import re
import shlex
from pathlib import Path

from django.core.management import call_command
from django.utils import timezone

from accounts.models import User
from annotation.models import Project
from annotation.people.invited_lines import read_lines
from annotation.work import tasks
from demo.consent import agree_in_demo
from tests import factories
from tests.validation.conftest import answer_next, one
from tests.validation.simulated import both_correct, validate, years

PAGE = Path(__file__).parents[3] / "docs" / "research_round.md"
QUESTIONS, PEOPLE = 0, 1  # the blocks of text that the page has, in their order


def commands(part):
    """The commands under a heading of the page, each as its words after `manage.py`."""
    text = PAGE.read_text(encoding="utf-8").partition(f"## {part}")[2].partition("\n## ")[0]
    found = re.findall(r"^    python manage.py (.+)$", text, re.MULTILINE)
    return [shlex.split(line) for line in found]


def blocks():
    found = re.findall(r"```text\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    return [re.sub(r"^ +", "", each, flags=re.M) for each in found]


def run(words):
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_the_round_goes_as_the_page_says(db, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    factories.make_snapshot(name="demo")
    researcher = factories.make_user(email="researcher@demo.localhost")
    Path("bridges.txt").write_text(blocks()[QUESTIONS], encoding="utf-8")

    create, look, bring_in = commands("1. Import")
    run(create)
    project = Project.objects.get(slug="bridges")
    assert project.memberships.filter(user=researcher, role="researcher").exists()
    assert "nothing was changed: 3 created" in run(look)
    assert not project.questions.exists()
    assert "3 created" in run(bring_in)

    people = [
        factories.make_member(project, *line.roles, user=factories.make_user(email=line.email))
        for line in read_lines(blocks()[PEOPLE], role="")
    ]
    assert User.objects.count() == 4
    agree_and_differ(project, *people)

    agreement, export = commands("4. Look at the figures")
    figures = json.loads(run(agreement))
    assert figures["generators.f1_answer"]["n"] == 3
    assert figures["validation.passed"]["n"] == 3
    run(export)
    decided = Path("decisions.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["kind"] for line in decided] == ["decision"]

    [release] = commands("5. Release")
    run(release)
    released = json.loads(Path("bridges.json").read_text(encoding="utf-8"))
    assert len(released) == 3
    assert sorted(path.name for path in tmp_path.glob("bridges.json*")) == [
        "bridges.json",
        "bridges.json.card.md",
        "bridges.json.croissant.json",
        "bridges.json.dev.table.json.gz",
        "bridges.json.manifest.json",
    ]

    predictions = {each["id"]: ["1843"] for each in released}
    Path("mine.json").write_text(json.dumps(predictions), encoding="utf-8")
    [score] = commands("6. Score a system against it")
    assert re.search(r"f1_answer\.all +0\.\d+ +3 +too few to tell", run(score))


def agree_and_differ(project, ann, ben, val):
    """Two people answer the three questions, and differ on the last one, which is validated."""
    now = timezone.now()
    for person in (ann, ben, val):
        agree_in_demo(project, person, now)
    project.policies.update(minimum_seconds=0)  # nobody reads for a minute here
    tasks.open_tasks(question_ids=list(project.questions.values_list("pk", flat=True)), now=now)
    for first, second in [
        (years("1843", "1869"), years("1869", "1843")),
        (one("1843"), one("1843")),
        (years("1843", "1869"), one("1843")),
    ]:
        answer_next(project, ann, first, now)
        answer_next(project, ben, second, now)
    validate(project, val, both_correct, ann, now)
