"""URLs of studies."""

from django.urls import include, path

from evaluation.views import consensus, studies

# /projects/<slug>/studies/…
study_urls = [
    path("", studies.study_list, name="study-list"),
    path("<int:study_id>/", studies.study_view, name="study-view"),
    path("<int:study_id>/sample/", studies.study_sample, name="study-sample"),
    path("<int:study_id>/close/", studies.study_close, name="study-close"),
    path("<int:study_id>/delete/", studies.study_delete, name="study-delete"),
    path("consensus/", consensus.consensus_list, name="consensus-list"),
    path("consensus/<int:item_id>/", consensus.consensus_item, name="consensus-item"),
]

urlpatterns = [path("projects/<slug:slug>/studies/", include(study_urls))]
