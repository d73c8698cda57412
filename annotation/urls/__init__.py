"""URLs of the annotation floor, one list per noun."""

from annotation.urls import (
    concerns,
    contexts,
    data,
    pay,
    people,
    projects,
    qualification,
    reading,
    talk,
    work,
)

urlpatterns = [
    *work.urlpatterns,
    *reading.urlpatterns,
    *projects.urlpatterns,
    *people.urlpatterns,
    *qualification.urlpatterns,
    *data.urlpatterns,
    *talk.urlpatterns,
    *pay.urlpatterns,
    *concerns.urlpatterns,
    *contexts.urlpatterns,
]
