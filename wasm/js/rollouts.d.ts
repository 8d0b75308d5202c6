import {Game, Reader, Rules} from './engine.js';
import {BeliefNetwork, ValueNetwork} from './network.js';

/** Networks of Big 2 that deep looks and searches play by. */
export class Players {
  /** One network judges moves, another scores deals of the hidden cards, and the calibration is of the first one's values. */
  constructor(network: ValueNetwork, small?: ValueNetwork | null, beliefs?: BeliefNetwork | null, calibration?: object | null);
  readonly network: ValueNetwork;
  /** Judges the opponents' past moves, and is asked first in rollouts; null for rules that it was not trained on. */
  readonly small: ValueNetwork | null;
}

/** Load the networks for some rules. */
export function loadPlayers(game: Game, rules: string | Rules, read?: Reader): Promise<Players>;
