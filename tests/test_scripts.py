"""What scripts say: failures and refusals are for everybody, not only for screen readers."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The scripts of all, and those of packages; what is collected in .ambit is a copy of them.
FOLDERS = (ROOT / "static/js", *sorted(ROOT.glob("[!.]*/static/js")))
SCRIPTS = [
    path
    for folder in FOLDERS
    for path in sorted(folder.rglob("*.js"))
    if path.name != "announce.js"
]
CALL = re.compile(r"\bannounce\((?!text\) \{)([^\n]*?)\)(?=[;,\n]|$)", re.MULTILINE)
LITERAL = re.compile(r"`[^`]*`|\"[^\"]*\"")
REFUSAL = re.compile(
    r"\b(not|no|none|nothing|cannot|can.t|could|needs?|must|offline|first|longer|without|try|"
    r"problem|failed|error|refused)\b",
    re.IGNORECASE,
)
# What is no literal text, and where it can be seen.
SEEN = {
    # the words that are marked in the text by the keys
    "labelling.js": ("whole.slice(words[from][0], words[until][1])",),
    "clock.js": {"said[1]"},  # the clock itself
    "draft.js": {"text"},  # a notice in sight; the save state
    "find.js": {"said()"},  # the count beside the box
    "limits.js": {"text"},  # the line under the field
    "long-answer-text.js": {"hint.textContent"},  # the hint under the field
    "qualification.js": {'verdict.querySelector("h3")?.textContent ?? ""'},  # the verdict
    "qampari-extend.js": {"problem"},  # the message under the field
    # the choice itself
    "qampari-making.js": {"radio.parentElement.firstChild.nextSibling.textContent.trim()"},
    "quotes.js": {"quote.note"},  # the bar of the quote
    "reader.js": {"text.textContent", "put(html)[0].dataset.announce"},  # results, reader
    "selection.js": {"text().text.slice(...place)", "note.textContent"},  # the words, a line
    "suggestions.js": {"stage.took(made)"},  # the form, where it is now
    "toast.js": {"text"},  # the toast itself
}


def said():
    for path in SCRIPTS:
        for call in CALL.findall(path.read_text()):
            yield path.name, call


def test_refusals_are_told_and_not_only_announced():
    wrong = [
        f"{name}: announce({call})"
        for name, call in said()
        for literal in LITERAL.findall(call)
        if REFUSAL.search(re.sub(r"\$\{.*?\}", "", literal))
    ]
    assert not wrong, "use tell() of toast.js, or a notice:\n" + "\n".join(wrong)


def test_what_is_announced_can_be_seen_somewhere():
    unknown = [
        f"{name}: announce({call})"
        for name, call in said()
        if not LITERAL.search(call) and call not in SEEN.get(name, ())
    ]
    assert not unknown, "say here where this can be seen:\n" + "\n".join(unknown)


def test_scripts_of_packages_are_read():
    assert {"judging.js", "natural-questions.js", "qampari-extend.js"} <= {
        path.name for path in SCRIPTS
    }


def test_the_calls_are_found():
    calls = list(said())
    assert len(calls) >= 25
    assert ("copy.js", '"Copied."') in calls
