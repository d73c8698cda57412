"""URLs of the reading side of the work page."""

from django.urls import path

from annotation.reading import views as reading
from annotation.reading import visit_views as visits

urlpatterns = [
    path("work/<int:assignment_id>/search/", reading.work_search, name="work-search"),
    path("work/<int:assignment_id>/read/<path:path>", reading.work_read, name="work-read"),
    path("work/<int:assignment_id>/events/", reading.work_events, name="work-events"),
    path("work/<int:assignment_id>/quotes/", reading.work_quotes, name="work-quotes"),
    path("projects/<slug:slug>/visits/<int:event_id>/", visits.visit_view, name="visit-view"),
]
