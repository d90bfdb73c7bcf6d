"""The process inside a sandbox that starts, streams, measures and ends executions. See `executor.supervisor.main`."""
