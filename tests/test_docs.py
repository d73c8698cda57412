"""Documents say what the code does: every setting, every command."""

import ast
import doctest
import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

from django.core.management import load_command_class

from docs.site.commands import list_commands

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


def test_the_examples_for_contributors_give_what_they_say():
    failed, tried = doctest.testfile(str(ROOT / "CONTRIBUTING.md"), module_relative=False)
    assert (failed, tried > 3) == (0, True)


def variables_read():
    """Every environment variable the settings and the embedded services read."""
    code = "".join(
        (ROOT / name).read_text()
        for name in (
            *("config/settings.py", "config/openid.py", "config/embedded.py"),
            *("demo/people.py", "demo/baselines.py", "demo/management/commands/demo.py"),
        )
    )
    helpers = (
        "str|line|email|bool|int|decimal|list|hosts|sentry_dsn|pairs|secret|url|choice|time_zone"
    )
    by_helper = re.findall(rf'env_(?:{helpers})\(\s*"([A-Z_]+)"', code)
    return set(by_helper) | set(re.findall(r'environ\.get\("([A-Z_]+)"', code))


def test_every_setting_is_documented():
    page = (ROOT / "docs" / "settings.md").read_text()
    missing = {name for name in variables_read() if f"`{name}`" not in page}
    assert not missing


def test_every_documented_setting_is_read():
    page = (ROOT / "docs" / "settings.md").read_text()
    documented = set(re.findall(r"^\| `([A-Z_]+)`", page, re.MULTILINE))
    assert documented == variables_read()


def test_every_command_of_ours_is_documented():
    page = (ROOT / "docs" / "commands.md").read_text()
    assert len(list_commands()) > 40
    assert {name for name in list_commands() if f"`{name}" not in page} == set()


def test_the_help_of_every_command_has_an_example():
    wrong = []
    for name, app in list_commands().items():
        shown = load_command_class(app, name).create_parser("manage.py", name)
        example = " ".join(shown.format_help().split("options:")[0].split()[4:])
        if f"manage.py {name}" not in example:
            wrong.append(name)
    assert not wrong


def test_links_to_other_hosts_are_well_formed():
    """Links within the repository, with their anchors, are held by tests/test_site.py."""
    text = "\n".join(page.read_text(encoding="utf-8") for page in PAGES)
    links = set(re.findall(r"\]\(([a-z]+:[^)]*)\)|<([a-z]+://[^>]*)>", text))
    addresses = [one or other for one, other in links]
    assert len(addresses) > 5
    parts = {each: urlsplit(each) for each in addresses}
    hosts = re.compile(r"([a-z0-9-]+\.)+[a-z]{2,}")
    wrong = [
        each
        for each, split in parts.items()
        if split.scheme != "https" or not hosts.fullmatch(split.netloc) or re.search(r"\s", each)
    ]
    assert not wrong


def test_every_page_has_a_place_in_the_index():
    """As a quick look; the build of the site (`make docs`) refuses the same."""
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8").split()
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"}
    assert sorted(pages - set(index)) == []


# --- the map -----------------------------------------------------------------------------------

APPS = (
    "accounts",
    "annotation",
    "config",
    "crowds",
    "demo",
    "evaluation",
    "metrics",
    "modeling",
    "natural_questions",
    "operations",
    "qampari",
    "validation",
    "wikipedia",
)
PLUMBING = {"migrations", "management", "commands", "templatetags"}


def our_files():
    """Code, templates, scripts and documents, where a requirement may be named."""
    folders = [*(ROOT / app for app in APPS), ROOT / "templates", ROOT / "static/js", ROOT / "docs"]
    found = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    found += [ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    return [path for path in found if path.suffix in {".py", ".html", ".js", ".md"}]


def requirements_named():
    named = set()
    for path in our_files():
        if path.name != "requirements.md":
            text = path.read_text()
            named |= set(re.findall(r"\b[ANSQP][1-9]\d?\b", text))
            for letter, first, last in re.findall(r"\b([ANSQP])(\d+)-\1(\d+)\b", text):
                named |= {f"{letter}{number}" for number in range(int(first), int(last) + 1)}
    return named


def requirements_explained():
    page = (ROOT / "docs" / "requirements.md").read_text()
    return set(re.findall(r"^\| ([ANSQP]\d+) \|", page, re.MULTILINE))


def test_every_requirement_that_is_named_is_explained():
    assert sorted(requirements_named() - requirements_explained()) == []


def test_every_requirement_that_is_explained_is_named():
    assert sorted(requirements_explained() - requirements_named()) == []


def packages():
    """Every package of ours but those that Django asks for."""
    found = {
        path.parent.relative_to(ROOT) for app in APPS for path in (ROOT / app).rglob("__init__.py")
    }
    return {f"{each.as_posix()}/" for each in found if not PLUMBING & set(each.parts)}


def test_the_map_names_every_package_that_exists_and_no_other():
    page = (ROOT / "docs" / "architecture.md").read_text()
    named = set(re.findall(rf"`((?:{'|'.join(APPS)})/(?:\w+/)*)`", page))
    assert named == packages()


def test_the_map_says_of_a_package_what_its_head_says():
    page = (ROOT / "docs" / "architecture.md").read_text().partition("## Packages")[2]
    wrong = {}
    for package, said in re.findall(r"^\| `([\w/]+/)` \| (.*) \|$", page, re.MULTILINE):
        tree = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))
        head = " ".join((ast.get_docstring(tree) or "").split("\n\n")[0].split())
        if head and said != head:
            wrong[package] = head
    assert not wrong


def test_every_path_on_the_way_through_a_feature_is_there():
    page = (ROOT / "docs" / "new_feature.md").read_text(encoding="utf-8")
    paths = set(re.findall(r"`([\w/.]+(?:/|\.(?:py|html|css|md|toml)))`", page))
    assert len(paths) > 15
    assert {path for path in paths if not (ROOT / path).exists()} == set()


def test_the_script_of_the_pictures_imports_what_is_there():
    """Part of it is a text that only `manage.py shell` reads."""
    script = ast.parse((ROOT / "docs/take_screenshots.py").read_text(encoding="utf-8"))
    texts = [
        node.value.value
        for node in script.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        if "import" in str(node.value.value)
    ]
    assert texts
    for text in texts:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom):
                module = import_module(node.module)
                missing = [each.name for each in node.names if not hasattr(module, each.name)]
                assert [name for name in missing if not find_spec(f"{node.module}.{name}")] == []
