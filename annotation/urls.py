"""Every address of annotation, room by room. Django compares them in this order.

`first_urls` are asked for in every cycle of work, so that config.urls has them before all others.
"""

from django.urls import include, path

from annotation.consent import urls as consent
from annotation.contexts import urls as contexts
from annotation.erasing import urls as erasing
from annotation.exports import urls as exports
from annotation.faq import urls as faq
from annotation.feedback import urls as feedback
from annotation.figures import urls as figures
from annotation.golds import urls as golds
from annotation.home import urls as home
from annotation.imports import urls as imports
from annotation.long_answers.concerns import urls as concerns
from annotation.monitoring import urls as monitoring
from annotation.pay import urls as pay
from annotation.people import urls as people
from annotation.projects import urls as projects
from annotation.qualifications import urls as qualifications
from annotation.questions import urls as questions
from annotation.reading import urls as reading
from annotation.work import urls as work

first_urls = [*home.urlpatterns, *work.urlpatterns, *faq.guidelines_urls]
urlpatterns = [
    *reading.urlpatterns,
    *projects.urlpatterns,
    *people.project_urls,
    *erasing.urlpatterns,
    *people.invited_urls,
    *consent.urlpatterns,
    *qualifications.urlpatterns,
    path("projects/<slug:slug>/", include([*imports.project_urls, *exports.project_urls])),
    *figures.urlpatterns,
    path("api/v1/", include("annotation.api.urls")),
    *faq.project_urls,
    *feedback.project_urls,
    *monitoring.urlpatterns,
    *faq.work_urls,
    *feedback.work_urls,
    *pay.urlpatterns,
    *golds.urlpatterns,
    *questions.urlpatterns,
    *concerns.urlpatterns,
    *contexts.urlpatterns,
]
