/** A few phrases that people at a table say to each other, in place of a chat. */

import { button, h } from './dom.js';
import { callName } from './people.js';
import { t } from './strings.js';

const PHRASES = ['hello', 'luck', 'well', 'oops', 'thanks', 'again'];

/** Draw the buttons; null for spectators, and where nobody else sits. */
export function phrases(view, say) {
  const people = view.seats.filter((seat) => !seat.agent && !seat.open).length;
  if (view.you === null || people < 2) return null;
  return h('section', { class: 'panel phrases', 'aria-label': t('phrase.title') }, h('h2', {}, t('phrase.title')),
    ...PHRASES.map((one) => button(t(`phrase.${one}`), () => say(one), { class: 'small' })));
}

/** Draw what a seat has just said. */
export function bubble(view, seat) {
  const said = view.said?.[seat];
  return said ? h('span', { class: 'said' }, t(`phrase.${said}`)) : null;
}

/** Describe what was said between two views. */
export function newlySaid(before, view) {
  return Object.entries(view.said).filter(([seat, phrase]) => before?.said[seat] !== phrase)
    .map(([seat, phrase]) => t('phrase.said', { name: callName(view, Number(seat)), phrase: t(`phrase.${phrase}`) })).join(' ');
}
