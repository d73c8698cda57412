"""Exams for people who check answers, and for those who reword questions or verify this (Q6)."""

from annotation.qualifications.choosing import Choosing
from qampari.sheets import OPTIONS
from qampari.stages.verify import VerifySheet

CHECKING, REWORDING = "answer_check", "paraphrase_check"
EXAMS = {
    CHECKING: Choosing("Check answers", OPTIONS, source="Q1"),
    REWORDING: Choosing("Judge paraphrases", VerifySheet.options, source="Q6"),
}
