//! Python: environments as of a date, and a server that forks a test a time.
