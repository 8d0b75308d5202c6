import {Game, Position, Reader, Rules} from './engine.js';

/** Calibration of values: win probabilities and expected cards at some values, ascending. */
export interface Calibration {
  values: number[];
  win: number[];
  cards: number[];
}

/** Load the network of an agent for some rules: trained on them, told them, or on those that differ least. */
export function loadNetwork(game: Game, agent: 'big2-dmc' | 'playouts', rules: string | Rules, read?: Reader): Promise<ValueNetwork>;
export function loadNetwork(game: Game, agent: 'catch5-ppo', rules: string | Rules, read?: Reader): Promise<PolicyNetwork>;

/** Values of moves in Big 2. */
export class ValueNetwork {
  /** Layers that give it for any rules if it is told them; see `calibrationUnder`. */
  readonly calibration: Calibration | Record<'rules' | 'hidden' | 'results', number[][]> | null;
  /** The rules that it was trained on; null if it is told the rules. */
  readonly rules: Record<string, any> | null;
  /** Return the value of each legal move, in cards. */
  values(position: Position): Float32Array;
  /** Return the value of each legal move of N positions, given their packed observations: of position i, from offsets[i] to offsets[i + 1]. */
  valuesOf(rules: Rules, packed: Uint8Array, moves: number[] | BigInt64Array, offsets: number[]): Float32Array;
}

/** Probabilities of moves in Catch Five. */
export class PolicyNetwork {
  readonly calibration: Calibration | null;
  readonly rules: Record<string, any>;
  /**
   * Return the probability of each legal move, `folded`, in which those of equal moves are added up on one of them, the
   * place of the move that is `chosen` for each, and the expected payoff in points.
   */
  evaluate(position: Position): {probabilities: number[]; folded: number[]; chosen: number[]; value: number};
  /** Return probabilities of the legal moves of N positions with those of equal moves added up. */
  fold(rules: Rules, packed: Uint8Array, moves: number[] | BigInt64Array, offsets: number[], probabilities: Float64Array): Float64Array;
  /** Return the probability of each legal move of N positions, given their packed observations. */
  probabilitiesOf(packed: Uint8Array, moves: number[] | BigInt64Array, offsets: number[]): Float64Array;
}

/** Scores of deals of the hidden cards of Big 2: how much likelier than at random, as a logarithm, up to a constant. */
export class BeliefNetwork {
  /** Return the score of each deal, four masks, given one packed observation. */
  scores(rules: Rules, packed: Uint8Array, deals: BigInt64Array): Float64Array;
}

/** Return the calibration of a network's values under some rules, or null if there is none. */
export function calibrationUnder(game: Game, network: ValueNetwork, rules: string | Rules): Calibration | null;

/** Return whether a network of an agent was trained on these rules. */
export function isTrained(game: Game, agent: string, rules: string | Rules): boolean;
