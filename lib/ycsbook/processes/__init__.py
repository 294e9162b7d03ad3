"""Child processes that never outlive the run that started them."""

from ycsbook.processes.guard import Guard, GuardedProcess

__all__ = ["Guard", "GuardedProcess"]
