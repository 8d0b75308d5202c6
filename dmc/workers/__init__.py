"""Workers of DMC: actors in processes, in this process, or on a Ray cluster; `base` has the interface."""
