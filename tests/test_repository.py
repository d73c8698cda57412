"""No stage and no protocol is named outside its own modules.

Whatever differs by protocol asks `protocols.protocol_of(project)`, and whatever differs by stage
asks the stage (docs/adr/0018). Prose may name them: comments, docstrings and sentences do not
count.
"""

import io
import re
import tokenize
from fnmatch import fnmatch
from pathlib import Path

import pytest

from annotation.protocols import registry as protocols
from annotation.stages import registry as stages

ROOT = Path(__file__).resolve().parents[1]
APPS = (
    "accounts",
    "annotation",
    "config",
    "crowds",
    "demo",
    "evaluation",
    "modeling",
    "natural_questions",
    "operations",
    "qampari",
    "validation",
    "wikipedia",
)
# Tests, docs and benchmarks are no part of the apps; these are what else is free to name them.
EXEMPT = ("*/migrations/*", "demo/files/*", "demo/loading.py")

# The modules that are a protocol's own: only they name it, its stages and their classes.
STUDIES = (
    "evaluation/judging/expert.py",
    "evaluation/studies/models.py",
    "evaluation/judging/stages.py",
)
OWN = {
    "ambigqa": (
        # writing answers
        "annotation/generation/stage.py",
        "annotation/generation/export.py",
        "annotation/generation/statements.py",
        # validating them
        "validation/decisions/accepted_answers.py",
        "validation/decisions/history.py",
        "validation/decisions/models.py",
        "validation/decisions/queries.py",
        "validation/decisions/statements.py",
        "validation/verdicts/models.py",
        "validation/verdicts/values.py",
        "validation/outcomes/statements.py",
        "validation/verdicts/queries.py",
        "validation/agreement/reporting.py",
        "validation/questions/exclusion.py",
        "validation/release/validations_export.py",
        "templates/validation/release/ambignq_card.md",
        "validation/release/counts.py",
        "validation/release/statements.py",
        "validation/turns/stage.py",
        # auditing them
        "validation/audits/values.py",
        "validation/audits/queries.py",
        "validation/agreement/facts.py",
        "validation/agreement/figures.py",
        "validation/audits/services.py",
        "validation/audits/statements.py",
        # finished work of the demo
        "demo/round.py",
        # studies
        *STUDIES,
    ),
    "asqa": (
        "annotation/imports/examples.py",
        "annotation/imports/formats.py",
        "annotation/long_answers/models.py",
        "annotation/long_answers/adapter.py",
        "annotation/long_answers/stage.py",
        "validation/release/asqa.py",
        "templates/validation/release/asqa_card.md",
        # studies
        *STUDIES,
    ),
    "nq": ("natural_questions/*", "templates/natural_questions/*", *STUDIES),
    "qampari": ("qampari/*", "templates/qampari/*", *STUDIES),
}
# What names one although it belongs to none, and why.
ALLOWED = {
    "demo/team.py": "work of the demo at several stages of several protocols",
    "*/apps.py": "each app registers its stages; one is named as the key is",
    "*/extension.py": "a tab, and what an app or room is called, is named as the stage is",
    "config/protocols/*": "protocols are put together there",
    "config/settings.py": "the app of validation is named as its stage is",
    "validation/questions/question_page.py": "a source of decisions is named as the stage is",
    "validation/audits/views.py": "a tab is named as the stage is",
    **dict.fromkeys(
        (
            *("annotation/core/models/people.py", "annotation/access/people.py"),
            *(
                "demo/people.py",
                "demo/tour.py",
                "validation/audits/values.py",
                "evaluation/consensus/panel.py",
                "evaluation/consensus/statements.py",
            ),
            *("evaluation/consensus/policies.py", "evaluation/results/stored.py"),
            "annotation/qualifications/training_queries.py",
        ),
        "a role is named as the stage is",
    ),
    **dict.fromkeys(
        (
            *(
                "evaluation/results/study_api.py",
                "evaluation/studies/design.py",
                "evaluation/studies/estimates.py",
                "evaluation/studies/telling.py",
                "evaluation/judgments/judgment_files.py",
            ),
            *(
                "evaluation/studies/pool.py",
                "evaluation/judgments/exports.py",
                "evaluation/studies/form.py",
            ),
            *("evaluation/studies/services.py", "evaluation/studies/views.py"),
            *("demo/studies.py", "demo/verdicts.py", "qampari/demo/__init__.py"),
        ),
        "a setting or a pairing of studies is named as the stage is",
    ),
    "accounts/shortcuts.py": "the keys of each work page; this floor knows no stage to ask",
    "templates/accounts/_keys_popover.html": "the same",
    "annotation/projects/rules_page.py": "writes docs/rules.md from the rules of both forms",
    "annotation/qualifications/items.py": "kinds of exam, which are named as stages are",
    "templates/annotation/*qualification_*": "kinds of exam",
}

STRINGS = (tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING))


def words_of(protocol):
    """Return the names by which code could ask for a protocol or one of its stages."""
    own = [stages.get_stage(key) for key in protocol.stages]
    keys = {protocol.key, *(stage.key for stage in own)}
    return keys, {type(stage).__name__ for stage in own} | {key.upper() for key in keys}


def named(path, text, keys, names):
    """Return the lines that name one, with their numbers."""
    if not any(word in text for word in keys | names):
        return []  # reading every token of every file takes seconds
    lines = text.splitlines()
    quoted = re.compile(rf"""["']({"|".join(sorted(keys))})["']""")
    if path.suffix != ".py":
        return [(n, line) for n, line in enumerate(lines, 1) if quoted.search(line)]
    return [
        (token.start[0], lines[token.start[0] - 1])
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if (token.type == tokenize.NAME and token.string in names)
        or (token.type in STRINGS and quoted.search(token.string))
    ]


def files():
    found = [path for app in APPS for path in (ROOT / app).rglob("*.py")]
    found += (ROOT / "templates").rglob("*.html")
    found += (ROOT / "templates").rglob("*.md")
    found += (ROOT / "static" / "js").rglob("*.js")
    return [path for path in sorted(found) if not among(path, EXEMPT)]


def among(path, patterns):
    return any(fnmatch(str(path.relative_to(ROOT)), pattern) for pattern in patterns)


@pytest.mark.parametrize("key", OWN)
def test_a_protocol_and_its_stages_are_named_only_in_their_own_modules(key):
    keys, names = words_of(protocols.get_protocol(key))
    elsewhere = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in files()
        if not among(path, (*OWN[key], *ALLOWED))
        for number, line in named(path, path.read_text(encoding="utf-8"), keys, names)
    ]
    assert not elsewhere, "\n".join(elsewhere)


def test_every_protocol_is_held_to_it():
    assert set(OWN) == {protocol.key for protocol in protocols.list_protocols()}


def test_every_exception_is_still_needed():
    words = [words_of(protocol) for protocol in protocols.list_protocols()]
    keys = set().union(*(keys for keys, _ in words))
    names = set().union(*(names for _, names in words))
    naming = [p for p in files() if named(p, p.read_text(encoding="utf-8"), keys, names)]
    patterns = [*(pattern for own in OWN.values() for pattern in own), *ALLOWED]
    assert not [p for p in patterns if not any(among(path, [p]) for path in naming)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("view.py", 'if project.protocol == "asqa":\n    pass\n'),
        ("view.py", "rows = rows.filter(stage=LONG_ANSWERS)\n"),
        ("view.py", "assert isinstance(stage, LongAnswering)\n"),
        ("query.py", 'SQL = """SELECT 1 WHERE a.stage = \'long_answers\'"""\n'),
        ("query.py", 'SQL = f"""SELECT {one} WHERE a.stage = \'long_answers\'"""\n'),
        ("page.html", '{% if project.protocol == "asqa" %}'),
        ("page.js", "if (stage === 'long_answers') return;"),
    ],
)
def test_a_name_is_found(name, text):
    assert named(Path(name), text, *words_of(protocols.get_protocol("asqa")))


def test_prose_may_name_them():
    text = '"""As ASQA\'s files have it."""\n# LONG_ANSWERS\nhelp = "Import ASQA or AmbigNQ."\n'
    assert not named(Path("help.py"), text, *words_of(protocols.get_protocol("asqa")))
