/** Records as JSON: the parts that every game has. */

import { MAX_SEED } from './data/constants.js';
import { Refused, shown } from './refused.js';

/** Raise Refused unless a record is of a known format. */
export function checkFormat(data, key, version) {
  const given = data?.[key];
  if (!Number.isInteger(given) || given < 1) throw new Refused(422, `${key} is ${shown(given)}: it must be the number of the format, ${version}`);
  if (given > version) throw new Refused(422, `it is in format ${given}, but this page reads formats up to ${version}`);
}

/** Return the object that a text is as JSON; undefined if it is none. */
export function parsed(text) {
  try {
    const found = JSON.parse(text);
    return typeof found === 'object' && found !== null ? found : undefined;
  } catch {
    return undefined;
  }
}

/** Return the value of a key of a record; Refused if it is missing, or not a list of some length. */
export function listOf(data, key, count = null) {
  if (!Array.isArray(data[key])) throw new Refused(422, key in data ? `${key} is ${shown(data[key])}: it must be a list` : `the key '${key}' is missing`);
  if (count !== null && data[key].length !== count) throw new Refused(422, `${key} has ${data[key].length} entries: it must have ${count}`);
  return data[key];
}

/** Raise Refused if payoffs are given that differ from those of the game. */
export function checkPayoffs(given, position) {
  if (given === undefined || given === null) return;
  if (!position.isOver) throw new Refused(422, 'payoffs are given, but the game has not ended');
  if (JSON.stringify(given) !== JSON.stringify(position.payoffs)) throw new Refused(422, `payoffs are ${shown(given)}: the moves give ${shown(position.payoffs)}`);
}

/** Return a record with its keys in the order of the format; undefined and null ones are omitted. */
export function ordered(data, order) {
  const known = Object.entries(data).filter(([, value]) => value !== undefined && value !== null);
  const place = ([key]) => (order.includes(key) ? order.indexOf(key) : order.length);
  return Object.fromEntries(known.sort((a, b) => place(a) - place(b)));
}

/** Return the names of the players of a record, and of their agents, for views. */
export function shownSeats(seats, count) {
  return (seats ?? Array(count).fill({})).map(({ name = '', kind }) => ({ name, agent: kind === 'agent' ? name : null }));
}

/** Return the seed and the number of a deal `seed/number`, or null; Refused if the seed is too large. */
export function seeded(text) {
  const found = /^(\d{1,10})\/(\d{1,5})$/.exec(text);
  if (!found) return null;
  const [seed, number] = found.slice(1).map(Number);
  if (seed > MAX_SEED) throw new Refused(422, `the seed ${seed} is too large: the maximum is ${MAX_SEED}`);
  return { seed, number };
}
