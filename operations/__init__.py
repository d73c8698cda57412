"""What keeps a running installation healthy: its server, workers, health, figures and backups.

It may ask every app below how it is. None of them may import it: settings and addresses name it in
words. It knows nothing of the demo.
"""
