"""A platform in memory, for tests of everything that speaks to one."""
