/** Games of Big 2 played to their end by networks, as `rlcard_big2.search.rollouts` plays them. */

import {MAX_LEGAL, MOST_LEGAL, NUM_PLAYERS as SEATS, VIEWER} from './constants.big2.js';
import {readFile} from './engine.js';
import {highest} from './estimates.js';
import {calibrationUnder, isTrained, loadNetwork} from './network.js';

const BATCH = 128; // games at once

/** Networks that deep looks and searches play by. */
export class Players {
  /**
   * @param {ValueNetwork} network judges moves.
   * @param {ValueNetwork | null} small judges the opponents' past moves, and plays in the rollouts of a search.
   * @param {BeliefNetwork | null} beliefs scores deals of the hidden cards.
   * @param {{values: number[], cards: number[], win: number[]} | null} calibration of the network's values.
   */
  constructor(network, small = null, beliefs = null, calibration = null) {
    Object.assign(this, {network, small, beliefs, calibration});
  }

  /** What judges the opponents' past moves, and plays quickly. */
  get quick() {
    return this.small ?? this.network;
  }
}

/**
 * Load the networks of Big 2 for some rules.
 * @param {Game} game
 * @param {string | Rules} rules
 * @param {Reader} [read] see `loadGame`.
 * @returns {Promise<Players>}
 */
export async function loadPlayers(game, rules, read = readFile) {
  const special = (agent) => (isTrained(game, agent, rules) ? loadNetwork(game, agent, rules, read) : null);
  const [network, small, beliefs] = await Promise.all([loadNetwork(game, 'big2-dmc', rules, read), special('playouts'), special('beliefs')]);
  return new Players(network, small, beliefs, calibrationUnder(game, network, rules));
}

/**
 * Make moves in deals of the hidden cards and play to the end; every seat sees its own observation alone.
 * @param {ValueNetwork} network plays in all seats.
 * @param {Position} position
 * @param {BigInt64Array} deals four masks for each game.
 * @param {number[]} moves the move that is made in each game.
 * @param {function(number): void} [onplayed] called with the number of games that are over.
 * @returns {{payoffs: number[], leads: number[]}} of the viewer, and the seat that leads the next trick, SEATS more if it has won.
 */
export function playOut(network, position, deals, moves, onplayed = () => {}) {
  const payoffs = [], leads = [];
  for (let start = 0; start < moves.length; start += BATCH) {
    const found = playBatch(network, position, deals.subarray(SEATS * start, SEATS * (start + BATCH)), moves.slice(start, start + BATCH));
    payoffs.push(...found.payoffs);
    leads.push(...found.leads);
    onplayed(payoffs.length);
  }
  return {payoffs, leads};
}

function playBatch(network, position, deals, first) {
  const {kernels, array, view} = position.game._memory;
  const {records} = position.game.data, count = first.length;
  const most = position.rules.fields.players === SEATS ? MAX_LEGAL : MOST_LEGAL;
  const rules = [array('look rules', 'int8', position.rules.table)[0], 1];
  const games = [array('look games', 'int8', count * records.state.size)[0], count];
  kernels.branch(...rules, array('look packed', 'int8', position.observe())[0], 1, ...array('look owners', 'int64', new BigInt64Array(count)),
    array('look deals', 'int64', deals)[0], count, SEATS, ...games);
  let running = array('look running', 'int64', first.map((_, i) => i)), made = array('look made', 'int64', first);
  const seen = [array('look observations', 'int8', count * records.observation.size)[0], count];
  const moves = array('look moves', 'int64', count * most), offsets = array('look offsets', 'int64', count + 1);
  const leads = array('look leads', 'int64', Array(count).fill(-1));
  for (;;) {
    const left = Number(kernels.advance(...rules, ...games, ...running, ...made, ...seen, ...moves, ...offsets, ...leads));
    if (!left) break;
    const bounds = Array.from(view('look offsets').subarray(0, left + 1), Number);
    const legal = view('look moves').slice(0, bounds[left]);
    const packed = new Uint8Array(view('look observations').subarray(0, left * records.observation.size));
    const values = network.valuesOf(position.rules, packed, legal, bounds);
    running = [running[0], left];
    made = array('look made', 'int64', BigInt64Array.from({length: left}, (_, i) => legal[highest(values, bounds[i], bounds[i + 1])]));
  }
  kernels.settle(...rules, ...games, array('look payoffs', 'int64', count * SEATS)[0], count, SEATS);
  const all = view('look payoffs');
  return {payoffs: first.map((_, i) => Number(all[i * SEATS + VIEWER])), leads: Array.from(view('look leads'), Number)};
}
