"""The recipe of docs/new_stage.md says how long it is, and lists every file that it writes."""

import re

from tests.stages import recipe


def test_it_says_how_many_lines_it_is():
    text = recipe.PAGE.read_text()
    listed = dict(re.findall(r"^\| `(ambiguity/[\w./]+)` \| [^|]+ \| (\d+) \|$", text, re.M))
    lines = {name: str(code.count("\n")) for name, code in recipe.files().items()}
    assert lines == listed
    assert f"It is {sum(map(int, lines.values()))} lines" in text


def test_it_is_only_there_while_it_is_tested():
    from annotation.protocols import registry as protocols
    from annotation.stages import registry as stages

    before = stages.list_stages(), protocols.list_protocols()
    with recipe.registered():
        assert stages.get_stage(recipe.STAGE).label == "Ambiguity"
        assert protocols.get_protocol(recipe.STAGE).stages == (recipe.STAGE,)
    assert (stages.list_stages(), protocols.list_protocols()) == before
