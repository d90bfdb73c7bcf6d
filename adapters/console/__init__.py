"""The console platform: one channel in a terminal, with several people to act as."""
