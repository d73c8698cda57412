"""URLs of the annotation floor, one list per noun."""

from annotation.urls import data, people, projects, work

urlpatterns = [*work.urlpatterns, *projects.urlpatterns, *people.urlpatterns, *data.urlpatterns]
