"""Results as files and for scripts: the same digits everywhere, safe wherever they are opened."""

import csv
import io
import json
import re

import jsonschema
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from knox.models import AuthToken

from annotation.exports.selection import Selection
from annotation.exports.services import start_export
from annotation.figures import latex
from evaluation.results import files as tables
from evaluation.results.api import RESULTS
from evaluation.results.counts import compute_figures
from evaluation.results.stored import find_results
from evaluation.studies.judgment_values import CHOICES, ItemJudgment
from tests import factories
from tests.evaluation.factories import make_questions, make_study, make_system
from tests.evaluation.results.judged_study import make_judged
from tests.figures import compute_results, store_results

pytestmark = pytest.mark.django_db
HOSTILE = r"=\input{/etc/passwd} & 50% _a_ $x$ #1 {b} ~ ^ < > |"


@pytest.fixture
def study(project, now):
    study = make_judged(project)
    store_results(study, now)
    return study


@pytest.fixture
def staff(client_as, rosa):
    return client_as(rosa)


def file(client, study, format, query=""):
    address = reverse("study-results-file", args=[study.project.slug, study.pk, format])
    return client.get(address + query)


def test_the_table_for_latex_has_the_columns_of_the_paper(study, staff):
    answer = file(staff, study, "tex")

    assert answer.headers["Content-Disposition"].endswith(f'study-{study.pk}.tex"')
    text = answer.content.decode()
    found = find_results(study).figures
    assert text.splitlines()[0] == f"% {found['signature']}"
    assert r"\begin{tabular}{lrrrr}" in text
    assert r"System & ACC & COMP & FLUE & HO \\" in text
    for system in found["systems"]:
        digits = [found["acc"][system], *(c["points"][system] for c in found["criteria"])]
        row = " & ".join([latex.escape_latex(system), *(f"{cell['value']:.1f}" for cell in digits)])
        assert rf"{row} \\" in text
    acc = found["acc"]["Strong"]
    bounds = f"{acc['value']:.1f} [{acc['low']:.1f}, {acc['high']:.1f}]"
    assert bounds in file(staff, study, "tex", "?intervals").content.decode()


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("\\", r"\textbackslash{}"),
        (r"\input{x}", r"\textbackslash{}input\{x\}"),
        ("a & b", r"a \& b"),
        ("100 % sure", r"100 \% sure"),
        ("t5_large", r"t5\_large"),
        ("$x$", r"\$x\$"),
        ("#1", r"\#1"),
        ("~^", r"\textasciitilde{}\textasciicircum{}"),
        ("a\n\nb\x00\u2028c", "a b c"),
        ("<b>|", r"\textless{}b\textgreater{}\textbar{}"),
        ("Æneas", "Æneas"),
    ],
)
def test_a_name_is_never_a_command_of_latex(text, escaped):
    assert latex.escape_latex(text) == escaped


def test_every_special_mark_of_latex_is_escaped(study, now):
    study.systems.filter(name="Strong").update(name=HOSTILE)
    computed = compute_results(study, now)[0].figures["figures"]
    body = tables.render_latex(computed).split(r"\midrule")[1].split(r"\bottomrule")[0]

    rest = re.sub(r"\\text[a-z]+\{\}|\\[&%$#_{}]|\\\\$", "", body, flags=re.MULTILINE)
    assert not set(rest) & set("\\%$#_{}~^<>|")
    assert rest.count("&") == 4 * 3, "only those between columns"


def test_a_spreadsheet_takes_no_cell_for_a_formula(study, staff, now):
    study.systems.filter(name="Strong").update(name=HOSTILE)
    store_results(study, now)
    rows = list(csv.DictReader(io.StringIO(file(staff, study, "csv").content.decode())))

    names = {row["system"] for row in rows} | {row["against"] for row in rows}
    assert f"'{HOSTILE}" in names
    assert not [name for name in names if name.startswith(("=", "+", "-", "@"))]


def test_the_spreadsheet_has_every_figure_with_n_and_interval(study, staff):
    text = file(staff, study, "csv").content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    found = find_results(study).figures

    def one(figure, **keys):
        [row] = [
            row
            for row in rows
            if row["figure"] == figure and all(row[key] == value for key, value in keys.items())
        ]
        return row

    acc = one("acc", system="Strong")
    assert [float(acc[name]) for name in ("value", "low", "high", "n")] == [
        found["acc"]["Strong"][name] for name in ("value", "low", "high", "n")
    ]
    overall = found["criteria"][-1]
    keys = {"criterion": "overall", "system": "Strong"}
    assert float(one("points", **keys, against="")["value"]) == overall["points"]["Strong"]["value"]
    wins = one("wins", **keys, against="Middling")
    assert int(wins["value"]) == overall["matrix"]["Strong"]["Middling"]["wins"]
    assert float(one("strength.log", **keys)["value"]) == pytest.approx(
        overall["strengths"]["Strong"]["log"]["value"]
    )
    alpha = one("agreement.alpha", criterion="overall")
    assert float(alpha["value"]) == overall["agreement"]["alpha"]["value"]
    assert one("position.gap", criterion="overall")["low"]
    assert one("consistency", criterion="overall")["n"] == "1"
    assert one("correlation.str_em", criterion="acc")["n"] == "3"
    assert one("answer.str_em", system="Strong", question="key-1")["value"] == "100.0"


def test_json_says_what_the_figures_were_made_from(study, staff):
    found = json.loads(file(staff, study, "json").content)

    assert found["study"]["title"] == study.title
    assert found["judgments"] == 37
    assert found["figures"] == find_results(study).figures
    for part in (f"seed:{study.seed}", "resamples:1000", "v:", "data:"):
        assert part in found["figures"]["signature"]


def test_there_is_no_file_before_there_are_figures(project, staff):
    study = make_study(project, [make_system(project)])

    answer = file(staff, study, "csv")
    assert answer.status_code == 409
    assert "There are no figures of this study yet." in answer.content.decode()
    assert file(staff, study, "xlsx").status_code == 404


def test_a_table_of_a_study_without_pairs_or_judgments_is_still_a_table(project, now):
    study = make_study(project, [make_system(project)])
    empty = compute_results(study, now)[0].figures["figures"]

    assert r"\begin{tabular}{lr}" in tables.render_latex(empty)
    assert tables.render_csv(empty).startswith("figure,criterion,system")


# --- from exported judgments to the same digits --------------------------------------------------


def exported(project, format):
    export = start_export(
        project=project, format=format, chosen=Selection(), by=None, now=timezone.now()
    )
    return b"".join(export.blocks())


def read(row):
    """A judgment of the export, read without Ambit's help."""
    return ItemJudgment(
        question=row["id"],
        pair=row["item"] if row["repeats"] is None else row["repeats"],
        left=row["left"],
        right=row["right"] or "",
        judge=row["judge"],
        repeat=row["repeats"] is not None,
        left_found=tuple(one["found"] == "yes" for one in row["found"]["left"]),
        right_found=tuple(one["found"] == "yes" for one in row["found"]["right"]),
        choices={key: CHOICES[better] for key, better in row["choices"].items()},
        reason=row["reason"],
        seconds=row["times"]["active_seconds"],
    )


def test_the_table_recomputed_from_exported_judgments_has_the_same_digits(study, project):
    rows = [json.loads(line) for line in exported(project, "judgments").splitlines()]
    head = rows[0]
    judged = [read(row) for row in rows if row["kind"] == "judgment"]
    stored = find_results(study).figures
    again = compute_figures(judged, criteria=head["criteria"], seed=head["seed"])

    assert len(judged) == find_results(study).judgments
    assert tables.render_latex(again | {"signature": stored["signature"]}, intervals=True) == (
        tables.render_latex(stored, intervals=True)
    )
    for name in ("acc", "acc_agreement", "criteria", "counts"):
        assert again[name] == stored[name]


def test_the_table_follows_from_the_kits_columns_by_hand(study, project):
    rows = json.loads(exported(project, "judgments-asqa"))
    stored = find_results(study).figures
    assert len(rows) == 36
    for system in stored["systems"]:
        shares, points = [], []
        for row in rows:
            for side, name in (("Left", "Paragraph 1"), ("Right", "Paragraph 2")):
                if row[f"{side.lower()}Model"] == system:
                    shares.append(row[f"acc{side}"] / row["numQA"])
                    points.append({name: 1.0, "Tie": 0.5}.get(row["Overall"], 0.0))
        overall = stored["criteria"][-1]["points"][system]
        assert stored["acc"][system]["value"] == pytest.approx(100 * sum(shares) / len(shares))
        assert overall["value"] == pytest.approx(100 * sum(points) / len(points))


@pytest.mark.parametrize("format", ["judgments", "judgments-asqa"])
def test_judgments_taken_to_another_project_give_the_same_table(study, project, tmp_path, format):
    file = tmp_path / "judgments.json"
    file.write_bytes(exported(project, format))
    other = factories.make_project(slug="elsewhere")
    make_questions(other, 6)
    call_command("import_judgments", "elsewhere", str(file), "--title", "Again")
    [copy] = other.studies.all()
    again = compute_results(copy, timezone.now())[0].figures["figures"]
    stored = find_results(study).figures

    for name, figure in stored["acc"].items():
        assert again["acc"][name]["value"] == figure["value"]
    for one, two in zip(again["criteria"], stored["criteria"], strict=True):
        for name, figure in two["points"].items():
            assert one["points"][name]["value"] == figure["value"]
    if format == "judgments":  # the seed is in the file, so intervals are the same too
        signature = {"signature": stored["signature"]}
        assert tables.render_latex(again | signature, intervals=True) == (
            tables.render_latex(stored, intervals=True)
        )


# --- for scripts ---------------------------------------------------------------------------------


@pytest.fixture
def script(client, rosa):
    _, token = AuthToken.objects.create(rosa)
    return lambda path: client.get(
        f"/api/v1/projects/{path}", headers={"Authorization": f"Token {token}"}
    )


def test_scripts_get_studies_and_their_results(study, script, staff):
    make_study(study.project, state="draft")
    draft, listed = script(f"{study.project.slug}/studies/").json()["results"]

    assert draft["computed_at"] is None
    assert (listed["id"], listed["systems"]) == (study.pk, ["Middling", "Strong", "Weak & poor"])
    assert listed["computed_at"] is not None
    answer = script(f"{study.project.slug}/studies/{study.pk}/results/")
    assert answer.json() == json.loads(file(staff, study, "json").content)
    none = script(f"{study.project.slug}/studies/{draft['id']}/results/")
    assert none.status_code == 409
    assert "no figures" in none.json()["detail"]
    assert script(f"{study.project.slug}/studies/999999/results/").status_code == 404


def test_the_list_for_scripts_takes_as_many_queries_for_many(study, script, project):
    counts = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            script(f"{project.slug}/studies/")
        counts.append(len(queries))
        for _ in range(3):
            make_study(project, study.systems.all())
    assert counts[0] == counts[1]


def test_the_answer_fits_its_schema(study, script):
    answer = script(f"{study.project.slug}/studies/{study.pk}/results/").json()
    jsonschema.validate(answer, _nullable(RESULTS))
    announced = RESULTS["properties"]["figures"]["properties"]
    assert set(answer["figures"]) == set(announced)
    criterion = announced["criteria"]["items"]["properties"]
    assert all(set(row) == set(criterion) for row in answer["figures"]["criteria"])


def _nullable(schema):
    """The schema with OpenAPI's `nullable` as JSON Schema says it."""
    if isinstance(schema, list):
        return [_nullable(row) for row in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _nullable(value) for key, value in schema.items() if key != "nullable"}
    if schema.get("nullable") is True:
        return {"anyOf": [made, {"type": "null"}]}
    return made
