"""The papers' experiments, run again: suites, a runner that can be killed, a store, and what came of it."""
