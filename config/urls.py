"""Every app's URLs, and those that belong to no app."""

from django.contrib import admin
from django.urls import include, path

from annotation.urls import first_urls

handler500 = "config.errors.show_server_error"
admin.autodiscover()  # here, because no command needs its pages

urlpatterns = [
    # First what every cycle of work asks for: each address is compared in this order.
    path("", include(first_urls)),
    path("", include("operations.urls")),
    path("account/", include("accounts.urls")),
    path("admin/", admin.site.urls),
    path("wikipedia/", include("wikipedia.urls")),
    path("", include("validation.urls")),
    path("", include("evaluation.urls")),
    path("", include("modeling.urls")),
    path("", include("crowds.urls")),
    path("", include("qampari.urls")),
    path("", include("annotation.urls")),
]
