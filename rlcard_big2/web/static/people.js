/** Names of seats and players. */

import { t } from './strings.js';

const PLACES = ['you', 'next', 'across', 'previous'];

/** Return the place of a seat relative to the viewer, or its number for spectators. */
export function placeName(view, seat) {
  if (view.you === null || view.you === undefined) return t('seat.number', { n: seat + 1 });
  return t(`seat.${PLACES[(seat - view.you + 4) % 4]}`);
}

/** Return the name of a seat in a sentence: a person's name, or an agent's place. */
export function callName(view, seat) {
  const { name, agent } = view.seats[seat];
  return seat === view.you || agent || !name ? placeName(view, seat) : name;
}

/** Return the name of the player in a seat. */
export function playerName(seat) {
  if (seat.open) return t('seat.open');
  return seat.name || seat.agent || '';
}

/** Return the seats in the viewer's order, next one first, without the viewer's own. */
export function others(view) {
  if (view.you === null || view.you === undefined) return [0, 1, 2, 3];
  return [1, 2, 3].map((step) => (view.you + step) % 4);
}
