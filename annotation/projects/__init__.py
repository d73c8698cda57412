"""A project’s own pages: overview, policies, rules, guidelines, settings, and making a copy of
one.
"""
