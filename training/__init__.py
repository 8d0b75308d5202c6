"""Settings, devices, progress, matches and checkpoints of training runs, for all trainers and games."""
