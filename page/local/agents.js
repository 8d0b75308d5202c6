/** The agents of the local tables, and what the networks say of positions. */

import { cardsOf } from '../engine/engine.js';
import { calibrationUnder, loadNetwork } from '../engine/network.js';
import { once } from './once.js';
import { Refused } from './refused.js';
import { searchFor } from './thinking.js';

const EPSILON = /^(.+),epsilon=(0?\.\d+)$/; // a share of random moves
const SEARCH = /^search:.+,worlds=(\d+)$/; // the number of deals
const networks = new Map(); // promises by game and rules

const CHANCE = { bits: () => undefined, number: () => Math.random() };

/** Choose among the legal moves of a position; return the move as the engine has it. Draws are by chance unless they are given. */
export async function chosenBy(agent, position, { bits, number } = CHANCE) {
  const [, base, epsilon] = EPSILON.exec(agent) ?? [null, agent, 0];
  const { choices, core } = position;
  const [, worlds] = SEARCH.exec(agent) ?? [];
  if (worlds) return searchFor(position, Number(worlds), bits());
  if (base === 'random' || (epsilon && number() < Number(epsilon))) return choices[Math.floor(number() * choices.length)];
  if (base === 'greedy') return longest(choices);
  if (base === 'rule') return core.ruleMove();
  const network = await networkFor(base, position);
  const values = network.evaluate?.(core).folded ?? network.values(core);
  return choices[values.indexOf(Math.max(...values))];
}

/** Return the first move of most cards. */
function longest(moves) {
  const sizes = moves.map((move) => cardsOf(move).length);
  return moves[sizes.indexOf(Math.max(...sizes))];
}

/** Load the network of an agent for the rules of a position, once. */
async function networkFor(agent, { core, rules }) {
  try {
    return await once(networks, `${agent} ${rules.network.name}`, () => loadNetwork(core.game, agent, core.rules));
  } catch (error) {
    console.warn(error);
    throw new Refused(503, 'error.network');
  }
}

/** Return the names of the fields of rules that differ. */
export function differing(fields, others) {
  return Object.keys(fields).filter((name) => String(fields[name]) !== String(others[name]));
}

/** Return the values of the legal moves of Big 2, and of each its payoff if it wins in any case: NaN if unknown, null without a proof. */
export async function evaluated(agent, position) {
  const network = await networkFor(agent, position);
  const values = Array.from(network.values(position.core));
  const wins = position.core.proofs().map((payoff) => (payoff === 0 ? null : payoff < 0 ? NaN : payoff));
  return { values, wins, calibration: calibrationUnder(position.core.game, network, position.core.rules) };
}

/** Return the probabilities of the legal moves of Catch Five, equal ones added up, the move that stands for each, and the expected payoff. */
export async function judged(agent, position) {
  const { folded, chosen, value } = (await networkFor(agent, position)).evaluate(position.core);
  return { shares: folded, chosen, value };
}
