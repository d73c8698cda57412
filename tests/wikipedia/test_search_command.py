"""manage.py search_wikipedia: what is new to a person who searches by hand."""

import json

import pytest
from django.core.management import CommandError, call_command

from wikipedia.index import FORMAT, POINTER
from wikipedia.providers.zim import index_dir


@pytest.fixture
def run(snapshot, capsys):
    def ran(*args):
        capsys.readouterr()
        call_command("search_wikipedia", snapshot.name, *args)
        return capsys.readouterr().out

    return ran


def test_a_slip_is_noticed(run):
    assert "Did you mean “harbour”?" in run("harbor")
    assert "Did you mean" not in run("harbour")


def test_machines_get_the_documented_object_and_nothing_else(run):
    assert set(json.loads(run("harbor", "--json"))) == {"query", "ms", "hits"}


def test_an_index_of_another_version_says_what_to_do(run, snapshot):
    pointer = index_dir(snapshot.name) / POINTER
    pointer.write_text(json.dumps(json.loads(pointer.read_text()) | {"format": FORMAT - 1}))
    with pytest.raises(CommandError, match="another version of Ambit"):
        run("harbour")
