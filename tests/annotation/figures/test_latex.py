"""Every table for LaTeX is compiled once, as authors do, with names made to break it."""

import re
import shutil
import subprocess

import pytest
from django.urls import reverse
from django.utils import timezone

from annotation.figures import files
from annotation.figures.filters import Filters
from annotation.figures.panel import Column, Panel, Value, panel_to_json
from annotation.figures.registry import find_report, list_reports
from annotation.protocols import registry as protocols
from evaluation.models import System
from evaluation.results import files as tables
from evaluation.results.stored import find_results
from tests import factories
from tests.annotation.long_answers import helpers as asqa
from tests.evaluation.results.judged_study import make_judged
from tests.figures import bring_report_up_to_date, compute_report, store_results

HOSTILE = (
    r"\input{/etc/passwd}",
    r"\\[1cm] \end{tabular}",
    "50 % & #1 _ $x$ {y} ~ ^^41",
    "[1]",
    "*starred",
    "]x[ -- `a' ``b'' \"c\" <d> |e| @{f}",
    "tab\tle\nline\x07\u202e",
    "Café, Straße, “1843” – it’s 5 €…",
    "−1 ≤ x ≥ κ α Δ → ± ½ × ·",
)
FOREIGN = "漢字 🚇 עברית"
DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
\begin{document}
TABLES
\end{document}
"""


@pytest.fixture
def compile_latex(tmp_path):
    """Compile tables in one document; returns the errors."""
    if not shutil.which("pdflatex"):
        pytest.skip("pdflatex is not on PATH")
    if not subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True).stdout:
        pytest.skip("LaTeX has no booktabs")

    def compile_latex(texts):
        body = "\n\n".join(
            f"\\typeout{{table {place}}}\n{text}" for place, text in enumerate(texts)
        )
        (tmp_path / "tables.tex").write_text(DOCUMENT.replace("TABLES", body))
        subprocess.run(
            ["pdflatex", "-draftmode", "-no-shell-escape", "-interaction=nonstopmode", "tables"],
            cwd=tmp_path,
            capture_output=True,
            timeout=120,
        )
        log = (tmp_path / "tables.log").read_text(errors="replace")
        assert f"table {len(texts) - 1}" in log, "it stopped before the last table"
        return re.findall(r"^! .*(?:\n.*)?", log, re.MULTILINE)

    return compile_latex


def panels_of(project):
    """Every panel of every report of a project."""
    listed = [*list_reports(project), *filter(None, [find_report(project, "systems")])]
    for report in {report.key: report for report in listed}.values():
        filters = Filters(split="dev") if report.key == "systems" else Filters()
        row = compute_report(project, report, timezone.now(), filters)[0]
        yield from row.figures["panels"]


def hostile(unit="text"):
    """A panel whose texts are all made to break a table."""
    cells = [[text, 1.5, Value(-0.25, 12, -0.5, 0.0), None] for text in HOSTILE]
    columns = [
        Column("name", HOSTILE[1], "text"),
        *(Column(name, HOSTILE[2], "mean") for name in ("x", "y", "z")),
    ]
    definition = f"A sentence\n% with a break, and {HOSTILE[2]}."
    panel = panel_to_json(Panel(columns=columns, rows=cells, n=1, definition=definition))
    return panel | {"key": "hostile", "title": "Hostile"}


@pytest.mark.latex
@pytest.mark.django_db
def test_every_table_compiles_with_any_name(compile_latex):
    project = asqa.make_project()
    study = make_judged(project)
    for system, name in zip(System.objects.all(), HOSTILE, strict=False):
        System.objects.filter(pk=system.pk).update(name=name.replace("\n", " ")[:80])
    store_results(study, timezone.now())
    figures = find_results(study).figures
    every = [tables.render_latex(figures), tables.render_latex(figures, intervals=True)]
    others = [
        factories.make_project(protocol=row.key)
        for row in protocols.list_protocols()
        if row.key != "asqa"
    ]
    for panel in [hostile(), *(panel for each in (project, *others) for panel in panels_of(each))]:
        every += [
            files.render_latex(panel, {}).decode(),
            files.render_latex(panel, {}, intervals=True).decode(),
        ]
    assert len(every) > 80

    assert compile_latex(every) == []


@pytest.mark.latex
def test_other_scripts_lack_nothing_but_their_letters_and_the_file_says_so(compile_latex):
    panel = hostile()
    panel["rows"][0][0] = FOREIGN
    text = files.render_latex(panel, {}).decode()

    assert text.startswith(
        "% A sentence % with a break, and 50 % & #1 _ $x$ {y} ~ ^^41.\n% Intervals"
    )
    assert "\n% Some letters may need LuaLaTeX or XeLaTeX, and a font that has them.\n" in text
    assert "LuaLaTeX" not in files.render_latex(hostile(), {}).decode()
    errors = compile_latex([text])
    assert errors
    assert all("Unicode character" in error for error in errors)


def test_the_leaderboard_has_its_intervals_where_they_are_asked_for(project, client_as, now):
    project = asqa.make_project()
    make_judged(project)
    report = find_report(project, "systems")
    bring_report_up_to_date(project, report, now, Filters(split="dev"))
    staff = client_as(factories.make_member(project, "researcher"))
    address = reverse("report-file", args=[project.slug, "systems", "leaderboard", "tex"])

    without = staff.get(f"{address}?split=dev").content.decode()
    with_them = staff.get(f"{address}?split=dev&intervals").content.decode()

    assert "% Intervals are left out here. The file with intervals has them." in without
    assert not re.search(r"\[[0-9.]+, ", without)
    assert "left out" not in with_them
    (row,) = re.findall(r"^Middling .*", with_them, re.MULTILINE)
    assert re.search(r"& 50\.0\\,\\% \[[0-9.]+, [0-9.]+\\,\\%\] &", row)
    page = staff.get(reverse("system-scores", args=[project.slug])).content.decode()
    assert "leaderboard.tex?split=dev&amp;intervals" in page
    assert "LaTeX with intervals" in page


def test_a_panel_without_intervals_offers_none():
    assert (
        "Intervals are left out"
        not in files.render_latex(
            panel_to_json(Panel(columns=[Column("a", "A")], rows=[["x"]], n=1, definition="D.")), {}
        ).decode()
    )
