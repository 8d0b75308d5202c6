"""The former place of `rlcard_play.catch5`, and of `rlcard_catch5.search.analysis`."""

raise ImportError('rlcard_catch5.study has moved to rlcard_play.catch5, its rollouts to rlcard_catch5.search.analysis')
