"""Errors of forms say what to do, in this application's words."""

import pytest
from django import forms


class Form(forms.Form):
    name = forms.CharField(max_length=5)
    email = forms.EmailField()
    slug = forms.SlugField()
    count = forms.IntegerField(min_value=1, max_value=3)
    day = forms.DateField()
    kind = forms.ChoiceField(choices=[("a", "A")])
    rate = forms.DecimalField()


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "", "Fill this in."),
        ("name", "longer", "Use at most 5 characters; this has 6."),
        ("email", "nora", "Write a whole e-mail address, such as ines@example.org."),
        ("slug", "a b", "Use letters, digits, hyphens and underscores only."),
        ("count", "x", "Write a whole number."),
        ("count", "0", "Write a number that is at least 1."),
        ("count", "4", "Write a number that is at most 3."),
        ("day", "x", "Write a date, such as 2017-12-31."),
        ("kind", "b", "“b” is not in the list. Choose one of its entries."),
        ("kind", "", "Fill this in."),
        ("rate", "x", "Write a number."),
    ],
)
def test_field_errors(field, value, said):
    assert Form({field: value}).errors[field] == [said]
