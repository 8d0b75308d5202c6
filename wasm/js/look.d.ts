import {Position} from './engine.js';
import {Players} from './rollouts.js';

/** An event that happens more often after the best move than after another. */
export interface Reason {
  /** No other seat goes out in this trick; the own seat wins, pays at most five cards, or leads the next trick. */
  event: 'safe' | 'win' | 'few' | 'lead';
  /** Share of the deals in which it happens after the best move. */
  best: number;
  /** After the other move. */
  other: number;
  /** Of the difference. */
  margin: number;
}

/** Outcome of a move; margins are half the widths of 95 % intervals. */
export interface MoveEstimate {
  move: number;
  /** Mean payoff. */
  cards: number;
  margin: number;
  /** Cards less than the best move's, in the same deals. */
  behind: number;
  /** 0 for the best move. */
  behind_margin: number;
  /** Share of games won. */
  win: number;
  /** Why the best move is better, if that is clear. */
  reason: Reason | null;
}

/**
 * Estimate legal moves of Big 2 by rollouts in deals of the hidden cards, a multiple of 10; the best first. The players are those of
 * the position's rules. Ten streams of 64 bits determine the deals; `onprogress` is called with the share that is done.
 */
export function look(
  players: Players, position: Position, moves: number[],
  options?: {deals?: number, streams?: bigint[], onprogress?: (share: number) => void},
): MoveEstimate[];
