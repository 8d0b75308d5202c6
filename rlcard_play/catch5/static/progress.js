/** What My progress counts in hands of Catch Five. */

import { CARDS_FROM } from './tricks.js';

const isLead = (ply) => ply >= CARDS_FROM && (ply - CARDS_FROM) % 4 === 0;

/** Marked moves a hand, and shares of habits, of the levels up to hard: `benchmarks.levels`. */
export const levels = { marks: [0.76, 0.6, 0.08], habits: { bid: [0.53, 0.54, 0.45], trump: [0.46, 0.48, 0.62] } };

/** Return whether the levels were measured with as many players and cards as a record has. */
export const isMeasured = () => true;

/** Return the themes of a mistake in a position, as puzzles have them. */
export function themes({ log: { length: ply }, legal, trump }) {
  if (ply < CARDS_FROM) return [ply < CARDS_FROM - 1 ? 'bid' : 'trump'];
  const trumps = legal.filter((card) => card[1] === trump).length;
  const leads = isLead(ply);
  const found = { draw: leads && trumps > 0 && trumps < legal.length, five: legal.includes(`5${trump}`), lead: leads, follow: !leads };
  return Object.keys(found).filter((name) => found[name]);
}

/** Return the habit that a choice of a hand belongs to, and whether it shows it; null if it belongs to none. */
export function habit({ ply, move }, { trump }) {
  if (ply < CARDS_FROM - 1) return ['bid', move !== 'pass'];
  return isLead(ply) ? ['trump', move[1] === trump] : null;
}
