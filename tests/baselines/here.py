"""Stages without processes, for tests that are not about them."""

from build.workers import Failure


class Here:
    """Workers that are this process: what a task raises costs that task only, as in the real ones."""

    def run_each(self, function, jobs, timeout_s):
        for job in jobs:
            try:
                yield job, function(job)
            except ValueError as error:
                yield job, Failure("error", f"{type(error).__name__}: {error}")
