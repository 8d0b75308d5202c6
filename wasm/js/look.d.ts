import {Position} from './engine.js';
import {ValueNetwork} from './network.js';

/** Outcome of a move; margins are half the widths of 95 % intervals. */
export interface MoveEstimate {
  move: number;
  /** Mean payoff. */
  cards: number;
  margin: number;
  /** Cards less than the best move's, in the same deals. */
  behind: number;
  behind_margin: number;
  /** Share of games won. */
  win: number;
}

/** Estimate legal moves of Big 2 by rollouts in deals of the hidden cards, a multiple of 10; the best first. */
export function look(
  network: ValueNetwork, position: Position, moves: number[], deals?: number, streams?: bigint[],
): MoveEstimate[];
