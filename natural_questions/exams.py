"""Exams of the three steps: the question, the long answer, the short answer (Q6, N3 to N5)."""

from annotation.qualifications.choosing import Choosing
from annotation.sheets.choice_sheet import Option

EXAMS = {
    "nq_question": Choosing(
        "Judge questions",
        (
            Option("yes", "Good question", "It asks for a fact, and clearly."),
            Option("no", "Bad question", "It is unclear, not a question, or asks for an opinion."),
        ),
        source="N3",
    ),
    "nq_long_answer": Choosing(
        "Judge long answers",
        (
            Option("answers", "It answers the question", "Everything asked for is in the box."),
            Option("large", "It is larger than needed", "A smaller box in it answers, too."),
            Option("no", "It does not answer", "The answer is missing, or only a part is there."),
        ),
        source="N4",
    ),
    "nq_short_answer": Choosing(
        "Judge short answers",
        (
            Option("words", "Some of its words", "A few words of the box are the answer."),
            Option("yes", "Yes", "The question is answered with yes."),
            Option("no", "No", "The question is answered with no."),
            Option("none", "None of these", "Only the whole box answers."),
        ),
        source="N5",
    ),
}
