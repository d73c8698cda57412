"""Documents say what the code does: every setting, every command, no broken local link."""

import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

ROOT = Path(__file__).resolve().parent.parent
OURS = {"config", "accounts", "annotation", "validation", "wikipedia"}
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


def variables_read():
    """Every environment variable the settings and the embedded services read."""
    code = "".join(
        (ROOT / "config" / name).read_text()
        for name in ("settings.py", "embedded.py", "demo_people.py", "management/commands/demo.py")
    )
    by_helper = re.findall(r'env(?:str|bool|int|list|secret|url|choice|zone)\(\s*"([A-Z_]+)"', code)
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
    ours = {name for name, app in get_commands().items() if app in OURS}
    assert {name for name in ours if f"`{name}" not in page} == set()


@pytest.mark.parametrize("name", sorted(n for n, app in get_commands().items() if app in OURS))
def test_the_help_of_every_command_has_an_example(name):
    shown = load_command_class(get_commands()[name], name).create_parser("manage.py", name)
    assert f"manage.py {name}" in " ".join(shown.format_help().split("options:")[0].split()[4:])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_local_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", page.read_text()):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
