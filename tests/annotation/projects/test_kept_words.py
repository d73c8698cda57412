"""Kept warnings are named as people know them."""

from annotation.generation.checks import REGISTRY
from config.filters import field_name, rule_title


def test_a_rule_is_named_by_its_title():
    assert rule_title("wh-word") == REGISTRY["wh-word"].title
    assert "wh-word" not in rule_title("wh-word")


def test_a_rule_that_is_gone_keeps_its_key():
    assert rule_title("of-old") == "of-old"


def test_fields_have_names():
    assert field_name("question-2") == "Question 2"
    assert field_name("single-answer") == "Single answer"
