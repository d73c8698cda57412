"""Property tests of scores have no deadline: how long one takes says nothing about a figure."""

from hypothesis import settings

settings.register_profile("metrics", deadline=None)
settings.load_profile("metrics")
