"""Account forms: text to values."""

from typing import Any

from django import forms

from accounts.fields import OneLineField
from accounts.shortcuts import SHORTCUTS, Shortcut, list_clashes, problem_with


class SettingsForm(forms.Form):
    """Name and single-key shortcuts."""

    name = OneLineField(
        label="Name",
        max_length=150,
        error_messages={"required": "Write the name colleagues know you by."},
    )
    single_keys = forms.BooleanField(label="Single-key shortcuts", required=False)


class ShortcutsForm(forms.Form):
    """The key of each shortcut, empty to switch it off. Fields have the shortcuts' names."""

    prefix = "key"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for shortcut in SHORTCUTS:
            self.fields[shortcut.name] = forms.CharField(label=shortcut.label, required=False)

    def rows(self) -> list[tuple[Shortcut, forms.BoundField]]:
        """Return every shortcut with its field."""
        return [(shortcut, self[shortcut.name]) for shortcut in SHORTCUTS]

    def clean(self) -> dict[str, str]:
        """Check each key, and that no two shortcuts of a page have the same one."""
        keys = {
            shortcut.name: self.cleaned_data.get(shortcut.name, "").lower()
            for shortcut in SHORTCUTS
        }
        for shortcut in SHORTCUTS:
            if problem := problem_with(keys[shortcut.name]):
                self.add_error(shortcut.name, f"{shortcut.label}: {problem}")
        for one, other in list_clashes(keys):
            self.add_error(
                other.name,
                f"“{keys[one.name]}” is also the key of “{one.label}”. Choose another key "
                "for one of them, or leave one empty.",
            )
        return keys
