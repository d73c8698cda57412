"""What uses the disk, by kind; backups, and how to restore one."""
