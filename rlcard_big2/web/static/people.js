/** Who sits where: what the seats of a view are called. */

import { t } from './strings.js';

const PLACES = ['you', 'next', 'across', 'previous'];

/** Return the place of a seat as the viewer sees it: its number for those who only watch. */
export function placeName(view, seat) {
  if (view.you === null || view.you === undefined) return t('seat.number', { n: seat + 1 });
  return t(`seat.${PLACES[(seat - view.you + 4) % 4]}`);
}

/** Return what a seat is called in a sentence: people by their names, agents by their places. */
export function callName(view, seat) {
  const { name, agent } = view.seats[seat];
  return seat === view.you || agent || !name ? placeName(view, seat) : name;
}

/** Return who plays a seat: a person's name, an agent's, or both. */
export function playerName(seat) {
  if (seat.open) return t('seat.open');
  return seat.name || seat.agent || '';
}

/** Return the seats in the order in which the viewer sees them: the next one first, the viewer not among them. */
export function others(view) {
  if (view.you === null || view.you === undefined) return [0, 1, 2, 3];
  return [1, 2, 3].map((step) => (view.you + step) % 4);
}
