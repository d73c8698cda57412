"""One command makes a version of a checkout, or says why not and changes nothing."""

import datetime as dt
import hashlib
import importlib.util
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("cut_release", ROOT / "deploy" / "cut_release.py")
releases = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(releases)

DAY = dt.date(2026, 3, 1)
CHANGELOG = """# Changelog

## 0.9.0 (unreleased)

- New.

## 0.8.0 (2026-01-01)

- Old.
"""
FILES = {
    "pyproject.toml": '[project]\nname = "ambit"\nversion = "0.9.0"\n',
    "config/settings.py": 'import os\nVERSION = "0.9.0"\n',
    "CITATION.cff": 'cff-version: 1.2.0\nversion: "0.9.0"\n',
    "CHANGELOG.md": CHANGELOG,
}


def git(folder, *arguments):
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    command = ["git", "-C", str(folder), *who, *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def checkout(tmp_path):
    folder = tmp_path / "code"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", "code")
    return folder


def cut(checkout, version="1.0.0"):
    return releases.cut_release(checkout, version, DAY, lambda path: path.write_text("{}"))


def test_the_version_is_written_everywhere(checkout):
    folder = cut(checkout)
    assert (checkout / "pyproject.toml").read_text() == FILES["pyproject.toml"].replace(
        "9", "X"
    ).replace("0.X.0", "1.0.0")
    assert 'VERSION = "1.0.0"' in (checkout / "config/settings.py").read_text()
    cited = (checkout / "CITATION.cff").read_text()
    assert cited == 'cff-version: 1.2.0\nversion: "1.0.0"\n'
    assert "## 1.0.0 (2026-03-01)\n\n- New." in (checkout / "CHANGELOG.md").read_text()
    assert (folder / "notes.md").read_text() == "- New.\n"
    digest = hashlib.sha256(b"{}").hexdigest()
    assert (folder / "sbom.json.sha256").read_text() == f"{digest}  sbom.json\n"


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "0.8.9", "", "1.0.0rc1"])
def test_a_number_that_is_no_next_one_is_refused(checkout, version):
    with pytest.raises(releases.NoRelease, match=r"is no version after 0\.9\.0"):
        cut(checkout, version)
    assert git(checkout, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("CHANGELOG.md", "# Changelog\n", "needs one heading"),
        ("config/settings.py", 'VERSION = "0.8.0"\n', "The versions differ: 0.8.0, 0.9.0"),
        ("config/settings.py", "\n", "config/settings.py has to say the version once"),
    ],
)
def test_a_checkout_that_cannot_be_released_is_left_as_it_is(checkout, name, text, says):
    (checkout / name).write_text(text)
    git(checkout, "commit", "--quiet", "--all", "--message", "other")
    with pytest.raises(releases.NoRelease, match=says):
        cut(checkout)
    assert git(checkout, "status", "--porcelain") == ""


def test_changes_are_committed_first(checkout):
    (checkout / "CHANGELOG.md").write_text("mine")
    with pytest.raises(releases.NoRelease, match=r"Commit your changes first:\n ?M CHANGELOG.md"):
        cut(checkout)
    assert not (checkout / "dist").exists()


def test_a_version_is_made_once(checkout):
    git(checkout, "tag", "v1.0.0")
    with pytest.raises(releases.NoRelease, match=r"a tag v1\.0\.0 already"):
        cut(checkout)


def test_this_checkout_has_one_version(capsys):
    assert releases._read_version(ROOT) == settings.VERSION
    assert releases.main() == 2
    assert "make release VERSION=1.0.0" in capsys.readouterr().err
