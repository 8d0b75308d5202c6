"""Commands that learn from games of a trained network of Big 2: beliefs, distillation and refinement."""
