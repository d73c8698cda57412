"""URLs of the outcome of submissions, of claims, and of rulings on them."""

from django.urls import include, path

from validation.claims import views as claims
from validation.outcomes import views as status
from validation.questions import list_views as questions
from validation.questions import view as question

# /projects/<slug>/claims/…
claim_urls = [
    path("", claims.claim_list, name="claim-list"),
    path("<int:thread_id>/", claims.claim_view, name="claim-view"),
    path("<int:thread_id>/answer/", claims.claim_answer, name="claim-answer"),
    path("<int:thread_id>/uphold/", claims.claim_uphold, name="claim-uphold"),
    path("<int:thread_id>/change/", claims.claim_change, name="claim-change"),
    path("<int:thread_id>/undo/<int:ruling_id>/", claims.ruling_undo, name="ruling-undo"),
    path("<int:thread_id>/reopen/", claims.claim_reopen, name="claim-reopen"),
    path("<int:thread_id>/faq/", claims.claim_to_faq, name="claim-to-faq"),
    path("<int:thread_id>/read/", claims.claim_read, name="claim-read"),
]

# /projects/<slug>/questions/…
question_urls = [
    path("", questions.project_questions, name="project-questions"),
    path("change/", questions.questions_change, name="questions-change"),
    path("<int:question_id>/", question.question_view, name="question-view"),
    path("<int:question_id>/change/", question.question_change, name="question-change"),
]

urlpatterns = [
    path("submissions/", status.submission_list, name="submission-list"),
    path("submissions/<int:assignment_id>/", status.submission_view, name="submission-view"),
    path("submissions/<int:assignment_id>/ask/", status.thread_open, name="thread-open"),
    path("threads/<int:thread_id>/write/", status.thread_write, name="thread-write"),
    path("threads/<int:thread_id>/withdraw/", status.thread_withdraw, name="thread-withdraw"),
    path("threads/<int:thread_id>/read/", status.thread_read, name="thread-read"),
    path("projects/<slug:slug>/claims/", include(claim_urls)),
    path("projects/<slug:slug>/questions/", include(question_urls)),
]
