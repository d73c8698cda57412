"""URLs of the FAQ, of feedback and of the pages that it is given from."""

from django.urls import path

from annotation.faq import views as faq
from annotation.feedback import views as feedback
from annotation.monitoring import views as monitoring

urlpatterns = [
    path("projects/<slug:slug>/faq/", faq.project_faq, name="project-faq"),
    path("projects/<slug:slug>/faq/<int:entry_id>/", faq.faq_change, name="faq-change"),
    path("projects/<slug:slug>/faq/<int:entry_id>/move/", faq.faq_move, name="faq-move"),
    path("projects/<slug:slug>/faq/<int:entry_id>/remove/", faq.faq_remove, name="faq-remove"),
    path(
        "projects/<slug:slug>/turns/<int:assignment_id>/feedback/",
        feedback.feedback_give,
        name="feedback-give",
    ),
    path(
        "projects/<slug:slug>/feedback/<int:feedback_id>/take-back/",
        feedback.feedback_take_back,
        name="feedback-take-back",
    ),
    path(
        "projects/<slug:slug>/monitoring/",
        monitoring.project_monitoring,
        name="project-monitoring",
    ),
    path(
        "projects/<slug:slug>/monitoring/<int:user_id>/",
        monitoring.monitoring_person,
        name="monitoring-person",
    ),
    path("work/<int:assignment_id>/faq/", faq.work_faq, name="work-faq"),
    path("work/<int:assignment_id>/feedback/", feedback.feedback_read, name="feedback-read"),
]
