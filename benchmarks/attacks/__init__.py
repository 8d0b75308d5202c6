"""Attacks on files, interfaces and processes, each made many times, and how many succeeded.

An attack fails if it is refused with an error of ours, in time, with nothing lost and no process left over.
"""
