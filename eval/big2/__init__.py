"""Big 2 in the evaluation: groups of games for `explain`, and exact solutions of small games."""
