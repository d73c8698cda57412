"""The demo: people, projects and finished work of ours, loaded through the services of every app.

It is there to be tried and tested. Nothing that a real installation needs may be in it, and no
other app knows it.
"""
