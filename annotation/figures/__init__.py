"""The machine of figures: reports as panels, computed by a job, stored, shown with their age.

Rooms name their reports and panels in their extensions, by dotted paths: a page computes none and
imports nothing that does. `counts` has what is counted beforehand in large projects.
"""
