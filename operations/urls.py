"""What programs ask, and the administration."""

from django.urls import include, path

from operations.health import healthz
from operations.probes import livez, readyz, show_metrics

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    # operations/probes.py answers these before anything looks at an address.
    path("livez", livez, name="livez"),
    path("readyz", readyz, name="readyz"),
    path("metrics", show_metrics, name="metrics"),
    path("administration/", include("operations.administration.urls")),
]
