"""What administrators of the installation do in its pages: people, projects, and how it runs.

Each section is a room of its own. They use the services of the apps below, and have their own for
what only administrators do. Others get what they get for an address that does not exist.
"""
