"""The machine of figures: computed by a job that recalls what has not changed, stored, shown.

Rooms name their reports and panels in their extensions, by dotted paths: a page computes none and
imports nothing that does. `counts` has what is counted beforehand in large projects.
"""
