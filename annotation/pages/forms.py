"""The base of all forms: how they look to a browser and a screen reader."""

from typing import Any

from django import forms


class AmbitForm(forms.Form):
    """A form whose fields carry our classes and point at their hint and error."""

    template_name = "includes/form.html"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs.setdefault("label_suffix", "")
        super().__init__(*args, **kwargs)
        self.add_fields()
        for name, field in self.fields.items():
            if not isinstance(field.widget, forms.CheckboxInput | forms.RadioSelect):
                field.widget.attrs.setdefault("class", "input")
            kind = getattr(field.widget, "input_type", "")
            if kind == "text" or isinstance(field.widget, forms.Textarea):
                field.widget.attrs.setdefault("dir", "auto")  # people write in their own script
            described = [f"hint-{name}"] if field.help_text else []
            if self.is_bound and name in self.errors:
                described.insert(0, f"error-{name}")
                field.widget.attrs["aria-invalid"] = "true"
            if described:
                field.widget.attrs["aria-describedby"] = " ".join(described)

    def add_fields(self) -> None:
        """Add the fields and choices that depend on the data."""

    def problems(self) -> list[tuple[str, str]]:
        """Return (id of the field, sentence) for the summary; "" where no field is to blame."""
        problems = []
        for name, errors in self.errors.items():
            bound = self[name] if name in self.fields else None
            for sentence in map(str, errors):
                place = bound.id_for_label if bound else ""
                problems.append((place, _named(str(bound.label), sentence) if bound else sentence))
        return problems


def _named(label: str, sentence: str) -> str:
    """Return an error with the field's name, unless the label is a sentence that says it all."""
    if label.endswith("."):
        return sentence
    return f"{label} {sentence}" if label.endswith("?") else f"{label}: {sentence}"


def build_date_field(**kwargs: Any) -> forms.DateField:
    """Return a date field that browsers show as a date picker."""
    widget = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(widget=widget, **kwargs)
