"""What staff say of made questions and their evidence in the Django admin, read-only."""

from annotation.admin import register_read_only
from qampari.models import EvidenceOpinion, QuestionReview

register_read_only(
    EvidenceOpinion,
    "verdict person shows at",
    search="verdict__title",
    related=["verdict", "person"],
)
register_read_only(QuestionReview, "question verdict by at", search="question", filters="verdict")
