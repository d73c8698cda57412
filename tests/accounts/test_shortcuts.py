"""Shortcuts on keys of one's own: what is refused, kept, shown on the pages, and reset."""

from itertools import chain

import pytest
from django.db import IntegrityError
from django.urls import reverse

from accounts.models import User
from accounts.shortcuts import (
    PAGES,
    SHORTCUTS,
    PageKeys,
    all_keys,
    changed_keys,
    list_clashes,
    problem_with,
)

SEND = reverse("account-shortcuts")
PAGE = reverse("account-settings")


def fields(**own):
    return {f"key-{name}": key for name, key in all_keys(own).items()}


class TestKeys:
    def test_the_defaults_have_no_clash_and_nothing_wrong(self):
        assert not list(list_clashes(all_keys({})))
        assert not any(problem_with(each.key) for each in SHORTCUTS)
        assert len({each.name for each in SHORTCUTS}) == len(SHORTCUTS)

    def test_one_key_may_do_two_things_on_two_pages(self):
        assert not list(list_clashes(all_keys({"combine": "r"})))
        [(one, other)] = list_clashes(all_keys({"combine": "f"}))
        assert (one.name, other.name) == ("find", "combine")
        assert not list(list_clashes(all_keys({"find": "", "combine": "f"})))

    @pytest.mark.parametrize("key", ["ab", " ", "\t", "\x07", "1", "9"])
    def test_what_no_key_can_be(self, key):
        assert problem_with(key)

    @pytest.mark.parametrize("key", ["", "g", "ß", "0", "?", "ж", "'"])
    def test_what_a_key_can_be(self, key):
        assert not problem_with(key)

    def test_only_differences_are_kept(self):
        assert changed_keys(all_keys({"find": "g", "undo": "", "next": "n", "gone": "y"})) == {
            "find": "g",
            "undo": "",
        }

    def test_a_page_knows_its_own_keys(self):
        found = PageKeys("validation", {"find": "g", "undo": ""})
        assert found["find"] == "g"
        assert "undo" not in found
        assert "disambiguations" not in found
        assert "g find n next" in found.pairs
        assert set(chain.from_iterable(each.pages for each in SHORTCUTS)) == set(PAGES)


@pytest.mark.django_db
class TestPage:
    def test_a_key_is_changed_one_switched_off_and_all_reset(self, client_as, stan):
        client = client_as(stan)
        answer = client.post(SEND, fields(find="G", undo=""), follow=True)
        stan.refresh_from_db()
        assert stan.keys == {"find": "g", "undo": ""}
        assert "Shortcuts saved." in answer.text
        assert 'name="key-find" value="g"' in answer.text
        client.post(SEND, {"reset": "1"})
        stan.refresh_from_db()
        assert stan.keys == {}

    def test_a_clash_is_said_and_nothing_changes(self, client_as, stan):
        answer = client_as(stan).post(SEND, fields(combine="f"))
        assert answer.status_code == 422
        assert "“f” is also the key of “Find in the article”." in answer.text
        assert 'name="key-combine" value="f"' in answer.text
        stan.refresh_from_db()
        assert stan.keys == {}

    def test_a_digit_is_refused(self, client_as, stan):
        answer = client_as(stan).post(SEND, fields(find="3"))
        assert answer.status_code == 422
        assert "The digits 1 to 9 choose answers." in answer.text

    def test_markup_is_text(self, client_as, stan):
        client_as(stan).post(SEND, fields(find='"', search="<"))
        assert 'value="&#34;"' in client_as(stan).get(PAGE).text

    def test_the_database_takes_nothing_but_an_object(self, stan):
        with pytest.raises(IntegrityError, match="user_keys_object"):
            User.objects.filter(pk=stan.pk).update(keys=["f"])
