"""Every address of evaluation, room by room. Django compares them in this order."""

from django.urls import include, path

from evaluation.benchmark import urls as benchmark
from evaluation.consensus import urls as consensus
from evaluation.judgments import urls as judgments
from evaluation.labelling import urls as labelling
from evaluation.rehearsals import urls as rehearsals
from evaluation.results import urls as results
from evaluation.scoring import urls as scoring
from evaluation.studies import urls as studies
from evaluation.systems import urls as systems

study_urls = [
    *studies.list_urls,
    *judgments.study_urls,
    *rehearsals.study_urls,
    *studies.study_urls,
    *consensus.study_urls,
]
system_urls = [*systems.list_urls, *scoring.system_urls, *systems.system_urls]
api_urls = [*systems.api_urls, *judgments.api_urls, *scoring.api_urls]

urlpatterns = [
    *labelling.urlpatterns,
    path("projects/<slug:slug>/studies/", include(study_urls)),
    path("projects/<slug:slug>/systems/", include(system_urls)),
    path("api/v1/projects/<slug:slug>/", include(api_urls)),
    *results.urlpatterns,
    *benchmark.urlpatterns,
]
