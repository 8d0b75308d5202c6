"""Agents: the base class, decisions for single states, and checks of an agent."""
