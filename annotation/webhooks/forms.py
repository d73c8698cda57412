"""Forms of webhooks."""

from django import forms

from annotation.pages.forms import AmbitForm


class WebhookForm(AmbitForm):
    """An address to tell. Whether it may be told is asked of the service."""

    url = forms.CharField(
        max_length=500, label="Address", widget=forms.TextInput(attrs={"inputmode": "url"})
    )
