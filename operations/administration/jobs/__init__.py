"""Jobs of all projects: what runs, waits and failed, with the queues and workers that take them."""
