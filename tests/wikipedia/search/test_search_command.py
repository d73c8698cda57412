"""manage.py search_wikipedia: what is new to a person who searches by hand."""

import json

import pytest
from django.core.management import CommandError, call_command

from wikipedia.management.commands.search_wikipedia import Command
from wikipedia.providers.zim import index_dir
from wikipedia.search.index import FORMAT, POINTER


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


@pytest.fixture
def parse():
    """Arguments as a shell gives them; `call_command` would put a name first."""
    return Command().create_parser("manage.py", "search_wikipedia").parse_args


@pytest.mark.parametrize(
    "line",
    [
        "demo old harbour --passages --top 2 --json",
        "demo --passages --top 2 old harbour --json",
        "--json --top=2 --passages demo old harbour",
        "--passages demo old --top 2 harbour --json",
    ],
)
def test_options_may_stand_anywhere(parse, line):
    given = parse(line.split())
    assert (given.name, given.query) == ("demo", ["old", "harbour"])
    assert (given.passages, given.top, given.json) == (True, 2, True)


def test_a_file_of_questions_needs_no_words(parse):
    given = parse(["--queries", "dev.txt", "demo"])
    assert (given.name, given.query, str(given.queries)) == ("demo", [], "dev.txt")


@pytest.mark.parametrize("line", ["", "demo --nonsense harbour", "demo --top x"])
def test_what_is_not_understood_says_how_it_is_used(parse, line):
    with pytest.raises(CommandError):
        parse(line.split())


def test_an_index_of_another_version_says_what_to_do(run, snapshot):
    pointer = index_dir(snapshot.name) / POINTER
    pointer.write_text(json.dumps(json.loads(pointer.read_text()) | {"format": FORMAT - 2}))
    with pytest.raises(CommandError, match="another version of Ambit"):
        run("harbour")
