"""The forms on which people word a relation, and add one."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from django import forms

from annotation.access.loaders import parse_number
from annotation.pages.forms import AmbitForm
from qampari.making.editing.queries import ProjectRelation, RelationIds, describe_relation
from qampari.making.relations import (
    MOST_CHARACTERS,
    MOST_CUES,
    TEXT_NAMES,
    TIMES,
    AskedRelation,
    BadRelation,
    find_wording_problems,
    is_cue,
    parse_relation_key,
)

EDITED: Final = (*TEXT_NAMES, "cues", "time", "included")
_LONGEST_CUES: Final = MOST_CUES * 42
_SEPARATORS: Final = re.compile(r"[,\s]+")


class RelationForm(AmbitForm):
    """The words of one relation, and whether it is included.

    A wrong text has its sentence at its field. `get_asked` is what was typed, right or wrong.
    """

    question = forms.CharField(
        label="Question", help_text="{subject} stands for what is asked about."
    )
    statement = forms.CharField(
        label="Statement",
        help_text="What a sentence has to show, with {answer} and {subject}.",
    )
    noun = forms.CharField(label="Answers are", help_text="In the plural, such as “bridges”.")
    phrase = forms.CharField(
        label="What is said of them",
        help_text="As in a question of two relations, such as “cross {subject}”.",
    )
    values = forms.CharField(
        label="Its values are",
        help_text="What the things asked about are to the answers, in the plural: “architects”.",
    )
    cues = forms.CharField(
        label="Words that show it",
        required=False,
        max_length=_LONGEST_CUES,
        help_text="Beginnings of words, in small letters, with commas. Where no model judges it, "
        "a sentence counts only with one of them.",
    )
    time = forms.ChoiceField(
        label="Facts count",
        choices=list(TIMES.items()),
        help_text="At any time also takes facts that have ended.",
    )
    included = forms.BooleanField(label="Include it when questions are made", required=False)
    version = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(self, *args: Any, relation: ProjectRelation, **kwargs: Any) -> None:
        self.relation = relation
        kwargs.setdefault("auto_id", f"{relation.place}-%s")
        super().__init__(*args, initial=write_fields(relation), **kwargs)
        for name in EDITED:
            invalid = self.is_bound and name in self.errors
            about = [f"{relation.place}-{name}-error"] if name in TEXT_NAMES or invalid else []
            if self.fields[name].help_text:
                about.append(f"{relation.place}-{name}-hint")
            self.fields[name].widget.attrs["aria-describedby"] = " ".join(about)

    def add_fields(self) -> None:
        """Let browsers keep texts within their length."""
        for name in TEXT_NAMES:
            self.fields[name].widget.attrs |= {
                "maxlength": MOST_CHARACTERS,
                "autocomplete": "off",
            }

    def clean(self) -> dict[str, Any]:
        """Check the texts as files and the API are."""
        asked = self.get_asked()
        for name, sentence in find_wording_problems(asked).items():
            if name not in self.errors:
                self.add_error(name, sentence)
        return self.cleaned_data

    def clean_cues(self) -> tuple[str, ...]:
        """Return the words. Refuses what no word begins with."""
        words = split_cues(self.cleaned_data["cues"])
        if wrong := [word for word in words if not is_cue(word)]:
            raise forms.ValidationError(
                f"“{wrong[0][:40]}” is not the beginning of a word in small letters."
            )
        if len(words) > MOST_CUES:
            raise forms.ValidationError(f"The maximum is {MOST_CUES} words.")
        return words

    def clean_version(self) -> int:
        """Return the version that the form began from; 0 where there was none."""
        return int(self.cleaned_data["version"] or 0)

    def get_asked(self) -> AskedRelation:
        """Return the relation as it was typed. Its words may be wrong."""
        texts: dict[str, Any] = {name: str(self.data.get(name, "")).strip() for name in TEXT_NAMES}
        cues = split_cues(str(self.data.get("cues", ""))[:_LONGEST_CUES])
        time = str(self.data.get("time", ""))
        return replace(self.relation.asked, **texts, cues=cues, time=time)


class AddRelationForm(AmbitForm):
    """A property of Wikidata, and a type of the answers."""

    property = forms.CharField(
        label="Property", max_length=8, help_text="Its number in Wikidata, such as P177."
    )
    type = forms.CharField(
        label="Type of the answers",
        max_length=13,
        required=False,
        help_text="A class, such as Q12280 (bridge). Empty for any.",
    )

    def clean(self) -> dict[str, Any]:
        """Read the ids."""
        values = self.cleaned_data
        for name, letter in (("property", "P"), ("type", "Q")):
            text = values.get(name, "").strip().upper()
            try:
                if text:
                    parse_relation_key(text if letter == "P" else f"P177/{text}")
            except BadRelation as problem:
                self.add_error(name, str(problem))
            values[name] = text
        return values

    def get_ids(self) -> RelationIds:
        """Return the numbers of property and type."""
        values = self.cleaned_data
        return parse_relation_key("/".join(filter(None, (values["property"], values["type"]))))


def split_cues(text: str) -> tuple[str, ...]:
    """Return the words of a text with commas or spaces between them, each once."""
    return tuple(dict.fromkeys(word for word in _SEPARATORS.split(text) if word))


def read_version(data: Mapping[str, Any]) -> int:
    """Return the version that a form began from; 0 for anything that is none."""
    return parse_number(str(data.get("version", "")))


def write_fields(relation: ProjectRelation) -> dict[str, Any]:
    """Return a relation as the form has it."""
    fields = describe_relation(relation)
    return {name: fields[name] for name in (*EDITED, "version")} | {
        "cues": ", ".join(relation.asked.cues)
    }


def tell_differences(fields: Mapping[str, Any], typed: ProjectRelation) -> dict[str, str]:
    """Return what other fields say where they differ from what is typed, in words of the form."""
    own = write_fields(typed)
    found = {name: fields[name] for name in EDITED if fields[name] != own[name]}
    if "time" in found:
        found["time"] = TIMES.get(found["time"], found["time"])
    if "included" in found:
        found["included"] = "included" if found["included"] else "not included"
    return found
