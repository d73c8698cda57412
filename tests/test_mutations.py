"""The rules that tests/mutations breaks are still where its patches look for them."""

import shutil
import subprocess

import pytest

from tests.mutations.__main__ import FOLDER, ROOT, main, read_header


@pytest.mark.parametrize("patch", sorted(FOLDER.glob("*.patch")), ids=lambda path: path.stem)
def test_a_patch_fits_the_code_and_names_its_tests(patch):
    if not shutil.which("git"):
        pytest.skip("git is not on PATH")
    fits = subprocess.run(
        ["git", "apply", "--check", str(patch)], cwd=ROOT, capture_output=True, text=True
    )
    assert fits.returncode == 0, f"{fits.stderr}Write the patch anew: the code has changed."
    what, tests = read_header(patch)
    assert what.endswith(".")
    assert tests
    assert all((ROOT / path).exists() for path in tests)


def test_ten_rules_are_broken():
    assert len(list(FOLDER.glob("*.patch"))) >= 10


def test_a_rule_that_is_not_there_is_said_to_be_missing(capsys):
    assert main(["gravity"]) == 2
    assert "There is no rule gravity. There are: backup, " in capsys.readouterr().out
