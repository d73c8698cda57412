"""What an installation is made of: settings, addresses, Celery, templates, sign-in, protocols.

It brings together the apps below, and none of them knows it; `operations` runs what it makes.
"""
