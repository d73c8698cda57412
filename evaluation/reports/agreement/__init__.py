"""How far people agree: the panels of the report Agreement.

They compute from stored rows and know no request of a page, no form and no other report.
"""
