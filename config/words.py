"""The words of Django's own field errors, in this application's voice: what to do, in one line."""

from django import forms
from django.core import validators

REQUIRED = "Fill this in."
CHOICE = "“%(value)s” is not in the list. Choose one of its entries."
EMAIL = "Write a whole e-mail address, such as ines@example.org."


def replace_field_errors() -> None:
    """Replace Django's field errors by ours, once, before any form is made."""
    forms.Field.default_error_messages["required"] = REQUIRED
    forms.ChoiceField.default_error_messages["invalid_choice"] = CHOICE
    forms.IntegerField.default_error_messages["invalid"] = "Write a whole number."
    forms.DecimalField.default_error_messages["invalid"] = "Write a number."
    forms.DateField.default_error_messages["invalid"] = "Write a date, such as 2017-12-31."
    validators.EmailValidator.message = EMAIL
    validators.validate_slug.message = "Use letters, digits, hyphens and underscores only."
    validators.MinValueValidator.message = "Write a number that is at least %(limit_value)s."
    validators.MaxValueValidator.message = "Write a number that is at most %(limit_value)s."
    validators.MaxLengthValidator.message = (
        "Use at most %(limit_value)d characters; this has %(show_value)d."
    )
