/** Names and faces of seats and players. */

import { svg } from './dom.js';
import { game } from './game.js';
import { agentName, t } from './strings.js';

/** Return the names of the places of a number of players, the viewer's first: nobody sits across three, or two. */
export function placesOf(count) {
  return count === 4 ? game.places : [...game.places.slice(0, 2), game.places[3]].slice(0, count);
}

/** Return the place of a seat relative to the viewer; spectators look from the first seat. */
export function placeOf(view, seat) {
  const count = view.seats.length;
  return placesOf(count)[(seat - (view.you ?? 0) + count) % count];
}

/** Return the name of the place of a seat, or its number for spectators. */
export function placeName(view, seat) {
  if (view.you === null || view.you === undefined) return t('seat.number', { n: seat + 1 });
  return t(`seat.${placeOf(view, seat)}`);
}

/** Return the name of the player in a seat; the place of the viewer's own, and of one without a name. */
export function callName(view, seat) {
  const { name, agent } = view.seats[seat];
  if (seat === view.you || !(agent || name)) return placeName(view, seat);
  return agent ? t(`agent.${seat}`) : name;
}

/** Return what a seat shows below the name: whether it is open, the viewer's partner, and the level of an agent. */
export function roleName(view, seat) {
  const { open, agent } = view.seats[seat];
  const isPartner = view.you !== null && placeOf(view, seat) === 'partner';
  return [open && t('seat.open'), isPartner && placeName(view, seat), agent && agentName(agent)].filter(Boolean).join(' · ');
}

/** Say what a table waits for before somebody moves. */
export function waitingFor(view) {
  return t(view.seats.some((seat) => seat.open) ? 'board.waiting' : 'board.waiting host');
}

/** Return the name of the player in a seat of a view; an agent has a name by its seat, and its level. `me` is the user's seat in a record. */
export function playerName(view, seat) {
  const { open, name, agent } = view.seats[seat];
  if (open) return t('seat.open');
  if (seat === view.me) return t('seat.you');
  return agent ? `${t(`agent.${seat}`)} · ${agentName(agent)}` : name || '';
}

/** Draw the face of the agent in a seat. */
export function portrait(seat) {
  const eyes = 8 + (seat % 2);
  return svg('svg', { class: `portrait n${seat}`, viewBox: '0 0 20 20', 'aria-hidden': 'true' },
    svg('circle', { class: 'skin', cx: 10, cy: 10, r: 9.5 }),
    svg('path', { class: 'hair', d: ['M1 9A9 9 0 0 1 19 9Q10 3 1 9Z', 'M1 8A9.5 9.5 0 0 1 19 8L14 6L10 8L6 6Z', 'M3 5A9 9 0 0 1 17 5Q10 7 3 5Z', 'M1 12A9.5 9.5 0 1 1 19 12Q17 5 10 5Q3 5 1 12Z'][seat] }),
    svg('circle', { cx: 7, cy: eyes + 2, r: 1.1 }), svg('circle', { cx: 13, cy: eyes + 2, r: 1.1 }),
    svg('path', { class: 'mouth', d: `M7 ${13 + (seat % 2)}Q10 ${15 + (seat % 3)} 13 ${13 + (seat % 2)}` }));
}

/** Return all seats in the viewer's order, its own first. */
export function inOrder(view) {
  return view.seats.map((_, step) => ((view.you ?? 0) + step) % view.seats.length);
}

/** Return the seats in the viewer's order, next one first, without the viewer's own. */
export function others(view) {
  return inOrder(view).filter((seat) => seat !== view.you);
}
