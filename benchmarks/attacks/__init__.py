"""Attacks on files, interfaces and processes, each made many times: tries and failures, by `python -m benchmarks.attacks`.

An attack ends well if it is refused with an error of ours, in time, with nothing lost and no process left over.
"""
