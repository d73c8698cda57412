"""URLs of studies and systems."""

from django.urls import include, path

from evaluation.ambiguity import views as ambiguity
from evaluation.consensus import views as consensus
from evaluation.judgments import views as judgments
from evaluation.judgments.api import JudgmentsImport
from evaluation.scoring import views as scores
from evaluation.scoring.api import ScoringJobs
from evaluation.studies import views as studies
from evaluation.systems import views as systems
from evaluation.systems.api import OutputsImport

# /projects/<slug>/studies/…
study_urls = [
    path("", studies.study_list, name="study-list"),
    path("import/", judgments.judgments_import, name="judgments-import"),
    path("<int:study_id>/", studies.study_view, name="study-view"),
    path("<int:study_id>/sample/", studies.study_sample, name="study-sample"),
    path("<int:study_id>/close/", studies.study_close, name="study-close"),
    path("<int:study_id>/delete/", studies.study_delete, name="study-delete"),
    path("consensus/", consensus.consensus_list, name="consensus-list"),
    path("consensus/<int:item_id>/", consensus.consensus_item, name="consensus-item"),
]
# /projects/<slug>/systems/…
system_urls = [
    path("", systems.system_list, name="system-list"),
    path("add/", systems.system_add, name="system-add"),
    path("scores/", scores.system_scores, name="system-scores"),
    path("<int:system_id>/", systems.system_view, name="system-view"),
    path("<int:system_id>/delete/", systems.system_delete, name="system-delete"),
]

# /projects/<slug>/ambiguity/…
ambiguity_urls = [
    path("", ambiguity.ambiguity_sample, name="ambiguity-sample"),
    path("<int:position>/", ambiguity.ambiguity_label, name="ambiguity-label"),
]

urlpatterns = [
    path("projects/<slug:slug>/ambiguity/", include(ambiguity_urls)),
    path("projects/<slug:slug>/studies/", include(study_urls)),
    path("projects/<slug:slug>/systems/", include(system_urls)),
    path("api/v1/projects/<slug:slug>/outputs/", OutputsImport.as_view(), name="api-outputs"),
    path("api/v1/projects/<slug:slug>/judgments/", JudgmentsImport.as_view(), name="api-judgments"),
    path("api/v1/projects/<slug:slug>/scores/", ScoringJobs.as_view(), name="api-scores"),
]
