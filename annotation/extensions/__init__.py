"""What an app adds to annotation: one `Extension`, made of what its rooms add.

Rooms that show or call what all features have (engine, jobs, tabs, log, news) ask here, so that
none of them names a feature above it. Nothing here knows a form, a page or a feature.
"""
