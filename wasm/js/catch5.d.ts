import {Position} from './engine.js';
import {PolicyNetwork} from './network.js';

/** A move among which a search chose. */
export interface Candidate {
  move: number;
  /** By the network, of it and of moves that equal it. */
  probability: number;
  /** Points by which the own team is ahead after it, in the same deals for all candidates. */
  outcomes: number[];
}

/** Outcome of a move; margins are half the widths of 95 % intervals. */
export interface HandEstimate {
  move: number;
  /** By which the own team is ahead at the end of the hand, on average. */
  points: number;
  margin: number;
  /** Points less than after the best move, in the same deals. */
  behind: number;
  /** 0 for the best move. */
  behind_margin: number;
  /** Share of the winning bids made; in the auction, of those of the own team, null without one. */
  made: number | null;
  /** Why the best move is better, if that is clear: what happens more often after it, with its share of the deals. */
  reason: {event: 'ahead' | 'make' | 'set' | 'trick' | 'five', best: number, other: number, margin: number} | null;
}

/**
 * Choose a move of Catch Five for the seat to move, from what it sees alone; the network plays in all seats. A stream of 64 bits
 * determines the deals, as many as `worlds`. There are no candidates if no search was needed.
 */
export function search(
  network: PolicyNetwork, position: Position, budget?: {worlds?: number, stream?: bigint},
): {move: number, candidates: Candidate[]};

/**
 * Estimate legal moves of Catch Five by rollouts in deals of the hidden cards, a multiple of 10; the best first. The network plays in
 * all seats. Ten streams of 64 bits determine the deals; `onprogress` is called with the share that is done.
 */
export function look(
  network: PolicyNetwork, position: Position, moves: number[],
  options?: {deals?: number, streams?: bigint[], onprogress?: (share: number) => void},
): HandEstimate[];
