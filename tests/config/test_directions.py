"""What people type is laid out in the direction of its own script."""

import re
from pathlib import Path

from annotation.people.forms import JoinForm

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
_FIELD = re.compile(r"<(?:textarea|input)\b[^>]*>")
# Fields of these types hold no sentence; read-only ones hold an address.
_NO_SENTENCE = re.compile(r'type="(?!text|search)|type="\{\{|readonly')


def test_every_field_for_words_finds_its_direction():
    fields = [
        f"{path.relative_to(TEMPLATES)}: {field}"
        for path in sorted(TEMPLATES.rglob("*.html"))
        for field in _FIELD.findall(path.read_text("utf-8"))
        if not _NO_SENTENCE.search(field)
    ]
    assert fields
    assert not [field for field in fields if "dir=" not in field]


def test_fields_that_django_renders_do_too():
    form = JoinForm(email="nora@example.org")
    assert str(form["name"]).count('dir="auto"') == 1
    assert "dir=" not in str(form["password"])
