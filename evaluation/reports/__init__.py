"""Reports for the people who run a project: panels, computed by a job and shown with their age.

The registry names what computes a panel and imports none of it, so that apps above can add panels.
A page never computes one.
"""
