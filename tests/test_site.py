"""The site of docs/ is built strictly, works without a network, and shows commands and API."""

import datetime as dt
import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands, load_command_class
from lxml import html

from docs import take_screenshots
from docs.site import commands, operations, pictures, states

pytestmark = pytest.mark.process
ROOT = Path(__file__).resolve().parent.parent
STRICT = ["--quiet", "--fail-on-warning", "--nitpicky", "--fresh-env", "-c", str(ROOT / "docs")]
KINDS = ["Tutorials", "How-to guides", "Reference", "Explanation"]


def run_sphinx(*arguments):
    command = [sys.executable, "-m", "sphinx", *STRICT, *map(str, arguments)]
    # How MyST calls Sphinx is not ours; what Sphinx says of the pages is no warning of Python's.
    environment = os.environ | {"PYTHONWARNINGS": "ignore"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


def build_small(folder, **pages):
    """Build a site of these pages as strictly as the whole one, without writing it."""
    (folder / "docs").mkdir()
    for name, text in pages.items():
        (folder / f"docs/{name}.md").write_text(text, encoding="utf-8")
    return run_sphinx("-b", "dummy", folder, folder / "built")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the whole site, built as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("site")
    built = run_sphinx("--jobs", "2", ROOT, folder)
    assert (built.returncode, built.stderr) == (0, "")
    return folder


def read_page(site, name):
    return html.fromstring((site / name).read_text(encoding="utf-8"))


def headings(page, level):
    found = page.xpath(f".//article//h{level}") or page.xpath(f"./h{level}")
    return [each.text_content().removesuffix("¶").strip() for each in found]


@pytest.mark.patience(2)
def test_every_page_is_on_the_site_and_its_front_leads_to_the_four_kinds(site):
    sources = [*(ROOT / "docs").rglob("*.md"), *map(ROOT.joinpath, ["README.md", "CHANGELOG.md"])]
    missing = [
        path.name
        for path in sources
        if not (site / path.relative_to(ROOT)).with_suffix(".html").exists()
    ]
    assert not missing
    front = read_page(site, "docs/index.html")
    assert headings(front, 2) == KINDS
    captions = front.xpath("//*[contains(@class, 'sidebar-tree')]//*[@class='caption-text']")
    assert [each.text_content() for each in captions] == KINDS
    assert read_page(site, "index.html").xpath("//a/@href") == ["docs/index.html"]


def test_no_page_asks_another_host_for_anything(site):
    loaded = {
        address
        for page in site.rglob("*.html")
        for element in html.fromstring(page.read_text(encoding="utf-8")).iter(
            "script", "link", "img", "iframe", "source", "object"
        )
        for address in (element.get("src"), element.get("href"), element.get("data"))
        if address
    }
    assert len(loaded) > 20
    assert [each for each in loaded if re.match(r"([a-z]+:)?//", each)] == []
    styles = "".join(path.read_text(encoding="utf-8") for path in site.rglob("*.css"))
    assert re.findall(r"(?:url\(|@import )[\"']?(?:https?:)?//", styles) == []


def test_the_index_of_the_search_has_the_words_of_every_page(site):
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    index = json.loads(re.fullmatch(r"Search\.setIndex\((.*)\)", text, re.S)[1])
    assert "docs/pay" in index["docnames"]

    def pages_with(stem):
        found = index["terms"][stem]
        return {index["docnames"][each] for each in (found if isinstance(found, list) else [found])}

    assert {"docs/privacy", "docs/commands"} <= pages_with("erase_person")
    assert "docs/command_help" in pages_with("usag")


def test_the_help_of_every_command_is_there_with_each_option(site):
    page = read_page(site, "docs/command_help.html")
    shown = {
        headings(each, 2)[0]: each.text_content()
        for each in page.xpath("//article/section/section")
    }
    assert list(shown) == list(commands.list_commands())
    assert {"score", "train", "release", "qampari_extended_set", "study_results"} <= set(shown)
    assert "manage.py import_questions crossings questions.csv" in shown["import_questions"]
    assert all(word in shown["import_questions"] for word in ("--dry-run", "--map-split", "file"))
    assert not any("--settings" in text for text in shown.values())
    assert all(f"usage: manage.py {name}" in text for name, text in shown.items())


def test_every_operation_of_the_api_is_there_and_leads_to_its_shapes(site):
    shown = headings(read_page(site, "docs/api_reference.html"), 3)
    schema = operations.SchemaGenerator().get_schema(request=None, public=True)
    named = {
        f"{method.upper()} {path}"
        for path, methods in schema["paths"].items()
        for method in methods
        if method in operations.METHODS
    }
    assert len(named) > 60
    assert sorted(named | set(schema["components"]["schemas"])) == sorted(shown)


def test_pictures_say_when_they_were_taken(site):
    picture = read_page(site, "README.html").xpath("//article//p[img]")[0]
    below = picture.getnext().text_content()
    assert re.match(r"Taken on \d{1,2} \w+ 20\d\d\.", below)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[a page](missing.md)", "missing.md"),
        ("[a place](index.md#nowhere)", "nowhere"),
        ("[a file](../nothing.py)", "nothing.py"),
        ("![a picture](img/nothing.png)", "nothing.png"),
        ("### Skips a level", "header level"),
        ("| a |\n| --- |\n\n```{toctree}\nnot_there\n```", "not_there"),
    ],
)
def test_what_leads_nowhere_is_refused(tmp_path, text, told):
    built = build_small(tmp_path, index=f"# A page\n\n{text}\n")
    assert built.returncode == 1
    assert told in built.stderr


def test_a_page_without_a_place_is_refused(tmp_path):
    built = build_small(tmp_path, index="# A page\n", alone="# Another\n")
    assert built.returncode == 1
    assert "alone.md: WARNING: document isn't included in any toctree" in built.stderr


def test_pages_that_lead_somewhere_are_taken(tmp_path):
    text = "# A page\n\n[b](two.md#part)\n\n```{toctree}\ntwo\n```\n"
    built = build_small(tmp_path, index=text, two="# Two\n\n## Part\n")
    assert (built.returncode, built.stderr) == (0, "")


def test_a_diagram_of_states_is_a_table():
    page = "```mermaid\nstateDiagram-v2\n    [*] --> new\n    new --> done: submit it\n```\n"
    table = states.replace_diagrams(page)
    assert "| (new) | new |  |\n| new | done | submit it |" in table
    assert "mermaid" not in table


# --- the pictures -------------------------------------------------------------------------------


def test_every_picture_is_noted_with_what_its_page_is_drawn_with():
    noted = pictures.read_pictures()
    assert set(noted) == {path.stem for path in pictures.FOLDER.glob("*.png")}
    assert set(noted) == {each.__name__ for each in take_screenshots.PICTURES}
    for picture in noted.values():
        assert dt.date.fromisoformat(picture.taken)
        assert [each for each in picture.shows if not (ROOT / each).exists()] == []


def test_a_picture_is_old_once_its_page_changes(tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/a.html").write_text("before")
    digest = pictures.digest_sources(["pages"], tmp_path)
    noted = {"work": pictures.Picture("2026-03-01", ["pages"], digest)}
    assert pictures.list_old(noted, tmp_path) == []
    (tmp_path / "pages/a.html").write_text("after")
    assert pictures.list_old(noted, tmp_path) == ["work"]


def test_a_picture_that_is_taken_anew_is_no_longer_old(tmp_path):
    old = {"taken": "2026-01-01", "shows": ["templates/base.html"], "digest": "another"}
    (tmp_path / "pictures.json").write_text(json.dumps({"work": old, "home": old}))
    page = "# A\n\n![x](docs/img/work.png)\n\n![y](img/home.png)\n"
    changed = "*Taken on 1 January 2026. The page has changed since.*"
    assert pictures.add_notes(page, tmp_path).count(changed) == 2
    pictures.note_taken(["work"], dt.date(2026, 3, 1), tmp_path)
    noted = pictures.read_pictures(tmp_path)
    assert pictures.list_old(noted) == ["home"]
    assert "work.png)\n\n*Taken on 1 March 2026.*" in pictures.add_notes(page, tmp_path)


# --- pages beside docs/ -------------------------------------------------------------------------


def test_the_file_for_citing_has_what_its_schema_asks_for():
    """As CFF 1.2.0 says: required keys, no unknown ones, authors who are persons or entities."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
    known = {"abstract", "type", "version", "license", "keywords", "references"}
    assert set(cited) <= {"cff-version", "message", "title", "authors", *known}
    assert (cited["cff-version"], cited["type"]) == ("1.2.0", "software")
    assert (cited["version"], cited["license"]) == (package["version"], package["license"])
    assert all(isinstance(each, str) for each in cited["keywords"])
    for work in [cited, *cited["references"]]:
        assert work["title"]
        for author in work["authors"]:
            assert set(author) in ({"name"}, {"given-names", "family-names"})
    assert all({"type", "title", "authors", "year"} == set(each) for each in cited["references"])


def test_every_line_of_the_comparison_is_a_command_that_is_there():
    page = (ROOT / "docs/comparison.md").read_text(encoding="utf-8")
    head, _, *rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.splitlines()
        if line.startswith("|")
    ]
    assert [name.split()[0] for name in head[2:]] == [
        *("Ambit", "doccano", "Label", "Argilla", "INCEpTION", "Potato")
    ]
    assert len(rows) > 8
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for what, command, *cells in rows:
        assert any(cells), what  # somebody ran it with something
        if command == "the same":
            continue
        program, *words = shlex.split(command.strip("`"))
        if program == "make":
            assert re.search(rf"^{words[0]}:", makefile, re.MULTILINE), command
            assert all((ROOT / path).exists() for path in re.findall(r"tests/\S+\.py", command))
        elif words[0] == "manage.py":
            name = words[1]
            parser = load_command_class(get_commands()[name], name).create_parser("", name)
            parser.parse_args(words[2:])
        else:
            assert words[:2] == ["-m", "benchmarks.cycle"]
            assert find_spec(words[1])


# What else is on a page, beside its template.
SAID_BY = (
    *("demo/tour.py", "annotation/home/ready.py", "annotation/people/inviting.py"),
    *("annotation/generation/models.py", "validation/verdicts/values.py"),
)
NAMED = {"bold", "bridges", "Invite 3"}  # no words of a page: a word, a project, a number in one


@pytest.mark.parametrize("name", ["demo", "research_round"])
def test_what_a_tutorial_has_in_bold_is_on_a_page(name):
    page = (ROOT / f"docs/{name}.md").read_text(encoding="utf-8")
    bold = set(re.findall(r"\*\*(.+?)\*\*", page)) - NAMED
    assert len(bold) > 2
    places = [*(ROOT / "templates").rglob("*.html"), *map(ROOT.joinpath, SAID_BY)]
    shown = " ".join(path.read_text(encoding="utf-8") for path in places)
    assert [words for words in bold if words not in shown] == []


def test_the_questions_of_the_tutorials_are_in_the_demo():
    asked = (ROOT / "demo/files/questions.jsonl").read_text(encoding="utf-8")
    first = json.loads(asked.splitlines()[0])["question"]
    page = (ROOT / "docs/demo.md").read_text(encoding="utf-8")
    assert re.search(r"“(When did the Thames Tunnel open)\?”", page)[1].lower() == first
