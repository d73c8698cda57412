"""manage.py figures: every report of a project for scripts and papers."""

import io
import json
import re
from dataclasses import replace

import pytest
from django.core.management import CommandError, call_command

from tests import factories
from tests.evaluation.reports import kinds
from tests.extensions import show_only_reports


@pytest.fixture
def project(db, monkeypatch):
    show_only_reports(monkeypatch, kinds.every_kind())
    return factories.make_project(slug="crossings")


def run(*arguments):
    out = io.StringIO()
    call_command("figures", "crossings", *arguments, stdout=out, stderr=io.StringIO())
    return out.getvalue()


def test_every_panel_is_listed_with_what_it_was_made_from(project):
    lines = run().splitlines()
    assert [line.split()[:2] for line in lines][:2] == [["sample", "shares"], ["sample", "groups"]]
    assert all(" rows" in line for line in lines)


def test_json_has_every_row_by_report_and_panel(project):
    found = json.loads(run("sample", "--json"))
    shares = found["sample"]["shares"]
    assert shares["rows"][0]["share"]["value"] == 0.75
    assert len(shares["rows"]) == shares["whole"]


@pytest.mark.parametrize(("format", "begins"), [("csv", "kind,"), ("tex", "%"), ("json", "{")])
def test_each_panel_becomes_a_file(project, tmp_path, format, begins):
    run("sample", f"--{format}", "-o", str(tmp_path))
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {f"sample-{entry.key}.{format}" for entry in kinds.every_kind().panels}
    assert (tmp_path / f"sample-shares.{format}").read_text(encoding="utf-8").startswith(begins)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["other"], "crossings has no report 'other'. Its reports are sample."),
        (["--split", "best"], "--split: The split is train, dev or test."),
        (["--since", "2026-02-30"], "--since: Write a day as 2026-03-01"),
        (["--csv"], "--csv writes a file for each panel: add -o DIR."),
        (["-o", "."], "-o . needs a format"),
        (["--csv", "-o", "nowhere"], "-o nowhere is no folder."),
    ],
)
def test_bad_input_is_told_and_nothing_is_computed(project, arguments, sentence):
    with pytest.raises(CommandError, match=re.escape(sentence)) as refused:
        run(*arguments)
    assert refused.value.returncode == 2
    assert not project.stored_figures.exists()


def test_a_filter_that_a_report_does_not_follow_is_refused_for_it_alone(project, monkeypatch):
    show_only_reports(monkeypatch, replace(kinds.every_kind(), filters=("split",)))
    assert "shares" in run("--since", "2026-03-01")
    with pytest.raises(CommandError, match="--since: The report sample cannot be narrowed"):
        run("sample", "--since", "2026-03-01")
