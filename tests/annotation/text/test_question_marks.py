"""Questions end with the mark of their script."""

import pytest

from annotation.core.models.questions import display_form
from annotation.text.question_marks import add_question_mark, is_marked


@pytest.mark.parametrize(
    ("text", "better"),
    [
        ("When did it open.", "When did it open?"),
        ("Who sang “What’s up?”", "Who sang “What’s up?”?"),
        ("متى افتتح الجسر", "متى افتتح الجسر؟"),
        ("橋はいつ開通したか。", "橋はいつ開通したか？"),
        ("Πότε άνοιξε η γέφυρα", "Πότε άνοιξε η γέφυρα;"),
        ("When did it open;", "When did it open?"),
        ("ድልድዩ መቼ ተከፈተ", "ድልድዩ መቼ ተከፈተ፧"),
        ("Where is 東京 in Japan", "Where is 東京 in Japan?"),
        ("", "?"),
    ],
)
def test_a_question_gets_the_mark_of_its_script(text, better):
    assert not is_marked(text)
    assert add_question_mark(text) == better
    assert is_marked(better)
    assert add_question_mark(better) == better


def test_an_armenian_question_has_its_mark_in_a_word():
    assert is_marked("Ե՞րբ բացվեց կամուրջը")


def test_prompts_are_shown_with_the_mark_of_their_script():
    assert display_form("متى افتتح الجسر؟") == "متى افتتح الجسر؟"
    assert display_form("when did it open") == "When did it open?"
    assert display_form("γιατί άνοιξε") == "Γιατί άνοιξε;"
