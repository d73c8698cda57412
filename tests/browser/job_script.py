"""What the people of the whole-job test know and type. Every answer stands in the archive.

The prompts are written about the Ray Charles snapshot; "Words" are selected with the mouse in an
article and must come out of the export exactly, at exactly this place.
"""

from dataclasses import dataclass

CRY, RAY, GEORGIA = "Cry (Churchill Kohlman song)", "Ray Charles", "Georgia on My Mind"
STOP, FILM = "I Can't Stop Loving You", "Ray (film)"

# The first four are for two people each, the last two for one.
PROMPTS = [
    {"id": "rc-cry", "question": "who sang cry"},
    {
        "id": "rc-born",
        "question": "where was ray charles born",
        "answers": ["Albany, Georgia"],
        "context": {"nq_doc_title": "Ray Charles"},
    },
    {"id": "rc-height", "question": "how tall was ray charles"},
    {"id": "rc-georgia", "question": "Who wrote “Georgia on My Mind”?"},
    {"id": "rc-stop", "question": "when was i can't stop loving you released", "split": "train"},
    {"id": "rc-played", "question": "who played ray charles in the movie ray", "split": "train"},
]
SHOWN = {
    "rc-cry": "Who sang cry?",
    "rc-born": "Where was ray charles born?",
    "rc-height": "How tall was ray charles?",
    "rc-georgia": "Who wrote “Georgia on My Mind”?",
    "rc-stop": "When was i can't stop loving you released?",
    "rc-played": "Who played ray charles in the movie ray?",
}
GUIDELINES = """## Overview

Search, read, and write every plausible answer about **Ray Charles** and his songs.

## FAQ

Quote the shortest words that answer.
"""


@dataclass(frozen=True)
class Words:
    """Words to select in an article. `near` is the text around them: which of several places."""

    exact: str
    near: str
    title: str
    section: tuple[str, ...] = ()


@dataclass(frozen=True)
class Pair:
    question: str
    forms: tuple[Words | str, ...]


@dataclass(frozen=True)
class Typed:
    """One answer, as somebody gives it: pairs, or forms of one answer, or why there is none."""

    pairs: tuple[Pair, ...] = ()
    single: tuple[Words | str, ...] = ()
    reason: str = ""
    feedback: str = ""
    kept: tuple[str, str, str] | None = None  # rule, field, reason

    @property
    def kind(self):
        return "multiple" if self.pairs else "single" if self.single else "none"

    def released(self):
        """Return the answer in the AmbigNQ layout."""
        if self.kind == "none":
            return {"type": "noAnswer"}
        if self.kind == "single":
            return {"type": "singleAnswer", "answer": texts(self.single)}
        return {
            "type": "multipleQAs",
            "qaPairs": [
                {"question": pair.question, "answer": texts(pair.forms)} for pair in self.pairs
            ],
        }

    def quotes(self):
        """Return [(words, pair, form)], counted from 1, in the order they are selected."""
        answers = [pair.forms for pair in self.pairs] or [self.single]
        return [
            (form, pair, place)
            for pair, forms in enumerate(answers, start=1)
            for place, form in enumerate(forms, start=1)
            if isinstance(form, Words)
        ]


def texts(forms):
    return [form.exact if isinstance(form, Words) else form for form in forms]


RELEASED = "When was i can't stop loving you by {} released?"
DON_GIBSON = Pair(
    RELEASED.format("Don Gibson"), (Words("1958", "It was released in 1958 as the B-side", STOP),)
)
TYPED = {
    ("ann", "rc-cry"): Typed(
        pairs=(
            Pair(
                "Who sang Cry in 1951?",
                (
                    Words(
                        "Johnnie Ray and The Four Lads",
                        "New York City by Johnnie Ray and The Four Lads on October 16",
                        CRY,
                    ),
                    "Johnnie Ray",
                ),
            ),
            Pair(
                "Who sang Cry in 1972?",
                (
                    Words(
                        "Lynn Anderson",
                        "Lynn Anderson had major success",
                        CRY,
                        ("Lynn Anderson version",),
                    ),
                ),
            ),
            Pair(
                "Who sang Cry in 1986?",
                (
                    Words(
                        "Crystal Gayle",
                        "Crystal Gayle had her own hit",
                        CRY,
                        ("Crystal Gayle version",),
                    ),
                ),
            ),
        ),
        feedback="Ronnie Dove’s version of 1966 may count too; “Top 20” is not quite a hit.",
    ),
    ("ben", "rc-cry"): Typed(
        pairs=(
            Pair(
                "Who sang the first recording of Cry?",
                (Words("Ruth Casey", "first recorded by Ruth Casey on the", CRY),),
            ),
            Pair("Who sang the best-known version of Cry?", ("John Alvin Ray", "J. A. Ray")),
        ),
        kept=("not-on-page", "answer-2", "Johnnie Ray’s full name; I know it from his records"),
    ),
    ("ann", "rc-born"): Typed(
        single=(
            Words(
                "Albany, Georgia",
                "birthplace in Albany, Georgia back to",
                RAY,
                ("Life and career", "Early years (1930–45)"),
            ),
            "Albany",
        ),
    ),
    ("ben", "rc-born"): Typed(single=("Albany, Georgia, U.S.", "Albany, Georgia")),
    ("ann", "rc-height"): Typed(reason="Neither his article nor those of his albums give a height"),
    ("ben", "rc-height"): Typed(reason="The archive says nothing about his height: none found."),
    ("ann", "rc-georgia"): Typed(
        pairs=(
            Pair(
                "Who wrote the music of “Georgia on My Mind”?",
                (
                    Words(
                        "Hoagy Carmichael",
                        "written in 1930 by Hoagy Carmichael (music)",
                        GEORGIA,
                        ("Original version",),
                    ),
                ),
            ),
            Pair(
                "Who wrote the lyrics of “Georgia on My Mind”?",
                (
                    Words(
                        "Stuart Gorrell",
                        "(music) and Stuart Gorrell (lyrics)",
                        GEORGIA,
                        ("Original version",),
                    ),
                ),
            ),
        ),
    ),
    ("ben", "rc-georgia"): Typed(
        pairs=(
            Pair("Who wrote the tune of “Georgia on My Mind”?", ("Carmichael", "H. Carmichael")),
            Pair("Who wrote the words of “Georgia on My Mind”?", ("Gorrell",)),
        ),
    ),
    ("ben", "rc-played"): Typed(
        pairs=(
            Pair(
                "Who played ray charles as a man in the movie ray?",
                (Words("Jamie Foxx", "stars Jamie Foxx in the title role", FILM),),
            ),
            Pair(
                "Who played ray charles as a boy in the movie ray?",
                (Words("C. J. Sanders", "C. J. Sanders as Young Ray Robinson", FILM, ("Cast",)),),
            ),
        ),
    ),
    ("ben", "rc-stop"): Typed(
        pairs=(
            DON_GIBSON,
            Pair(
                RELEASED.format("Ray Charles"),
                (
                    Words(
                        "1962", "covered by Ray Charles in 1962, featured on Charles' Modern", STOP
                    ),
                ),
            ),
            Pair(RELEASED.format("Van Morrison"), ("1991",)),
        ),
    ),
}
