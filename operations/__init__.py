"""What keeps a running installation healthy: its server, workers, health, figures and backups.

It may ask every app below it how it is, and no app below names it: settings and addresses do,
in words. It knows nothing of the demo.
"""
