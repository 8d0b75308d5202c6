"""Parts of the DMC trainer that know Big 2: beliefs and expert labels."""
