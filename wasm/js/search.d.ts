import {Position} from './engine.js';
import {Players} from './rollouts.js';

/** A move among which a search chose. */
export interface Candidate {
  move: number;
  /** By the network, in cards. */
  expected: number;
  /** Estimate, in cards. */
  mean: number;
  /** Of the rollouts. */
  outcomes: number[];
  /** Whether it was not dropped. */
  isOpen: boolean;
}

/**
 * Choose a move of Big 2 for the seat to move, from what it sees alone, given a number of deals or of milliseconds. The players are
 * those of the position's rules; a stream of 64 bits determines the deals. There are no candidates if no search was needed.
 */
export function search(
  players: Players, position: Position, budget: {worlds?: number, milliseconds?: number, stream?: bigint},
): {move: number, candidates: Candidate[]};
