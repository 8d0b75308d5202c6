"""What every training run needs, whatever it learns: settings, devices, progress, matches, checkpoints."""
