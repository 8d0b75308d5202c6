"""Where actors run: in processes of their own, or in turn with the learner; `base` describes the seam."""
