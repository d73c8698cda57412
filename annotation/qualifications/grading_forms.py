"""The form on which the team grades an attempt."""

from typing import Any

from django import forms

from annotation.pages.forms import AmbitForm
from annotation.protocols import registry as protocols
from annotation.qualifications.forms import build_text_box
from annotation.qualifications.grading import ItemGrade
from annotation.qualifications.models import QualificationAttempt


class GradeForm(AmbitForm):
    """Staff's verdicts on an attempt, a field for each item."""

    note = forms.CharField(
        max_length=5000,
        required=False,
        label="To this person",
        widget=build_text_box(3),
        help_text="Shown to the person above the result.",
    )

    VERDICTS = (("yes", "Passes"), ("no", "Does not pass"))

    def __init__(self, *args: Any, attempt: QualificationAttempt, **kwargs: Any) -> None:
        self.attempt = attempt
        self.by_hand = protocols.exam_of(attempt.qualification.kind).by_hand
        super().__init__(*args, **kwargs)

    def add_fields(self) -> None:
        """Add the fields for verdict and feedback of each item."""
        words = {None: "", True: "yes", False: "no"}
        unsaid = "Not graded yet" if self.by_hand else "As measured"
        for answer in self.attempt.answers.all():
            self.fields[f"graded-{answer.number}"] = forms.ChoiceField(
                required=False,
                choices=[("", unsaid), *self.VERDICTS],
                initial=words[answer.graded],
                label=f"Verdict on item {answer.number}",
            )
            self.fields[f"feedback-{answer.number}"] = forms.CharField(
                max_length=5000,
                required=False,
                initial=answer.feedback,
                label=f"Feedback on item {answer.number}",
                widget=build_text_box(2),
            )

    def check_all_graded(self) -> bool:
        """Whether every item has a verdict, as a decision needs; errors say where one is missing.

        Items graded by people have no measured verdict to fall back on.
        """
        if not self.by_hand:
            return True
        for number, grade in self.item_grades().items():
            if grade.passed is None:
                self.add_error(f"graded-{number}", "Mark whether it passes, then decide.")
        return not self.errors

    def item_grades(self) -> dict[int, ItemGrade]:
        """Return verdict and feedback by number of the item."""
        read = {"": None, "yes": True, "no": False}
        return {
            answer.number: ItemGrade(
                passed=read[self.cleaned_data[f"graded-{answer.number}"]],
                feedback=self.cleaned_data[f"feedback-{answer.number}"],
            )
            for answer in self.attempt.answers.all()
        }
