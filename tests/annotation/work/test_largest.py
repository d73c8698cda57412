"""The largest response that the rules allow can be posted."""

import time

from annotation.generation.responses import MAX_PAIRS
from annotation.sheets.answers import MAX_FORMS
from annotation.sheets.keeps import MAX_KEEPS
from tests.annotation.work.conftest import HX, form, reload, url


def largest(work):
    """Fifty pairs of fifty forms each, and as many reasons for kept warnings as there may be."""
    fields = {name: value for name, value in form(work).items() if not name.startswith("pair-")}
    for pair in range(MAX_PAIRS):
        fields[f"pair-{pair}-question"] = f"When did tunnel {pair} open to pedestrians?"
        # Scripts send the empty box for another form, too.
        fields[f"pair-{pair}-answer"] = [f"{1800 + n} in {pair}" for n in range(MAX_FORMS)] + [""]
        fields[f"pair-{pair}-quote"] = [""] * (MAX_FORMS + 1)
    places = [f"{name}-{n}" for n in range(1, MAX_PAIRS + 1) for name in ("question", "answer")]
    rules = [f"rule-{n}" for n in range(MAX_KEEPS // len(places))]
    keeps = [(rule, place) for rule in rules for place in places]
    fields["keep-rule"] = [rule for rule, _ in keeps]
    fields["keep-field"] = [place for _, place in keeps]
    fields["keep-reason"] = ["It is right as it is"] * len(keeps)
    fields["touched"] = places
    return fields


def test_it_is_saved_and_checked(client_as, work, ann):
    client, fields, began = client_as(ann), largest(work), time.monotonic()
    answer = client.post(url("draft", work), fields, headers=HX)
    assert answer.status_code == 200
    pairs = reload(work).draft["pairs"]
    assert [len(pair["answers"]) for pair in pairs] == [MAX_FORMS] * MAX_PAIRS
    fields["version"] = reload(work).draft_version
    assert client.post(url("submit", work), fields, headers=HX).status_code in (200, 422)
    assert time.monotonic() - began < 30
