"""The engine: taking, seats, leases, drafts, submitting and handing over; the work page and its
API.

Serves every stage alike. Features join by the hooks of extensions; the modules of the engine import
none.
"""
