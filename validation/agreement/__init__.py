"""How well people agree, and how good the accepted answers are: the figures and their page.

Figures are computed from plain values by a job, and stored. They change nothing, and pages never
compute one.
"""
