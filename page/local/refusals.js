/** Reasons why a move is not legal, as the codes and values of the page's sentences; see `rlcard_play/study/played.py`. */

import { MAX_WORD } from './data/constants.js';

/** Return why cards are not those of a hand, or null if they are. */
export function refusalOfCards(text, hand, deck) {
  const words = text.split(/\s+/).filter(Boolean).map((word) => word[0].toUpperCase() + word.slice(1).toLowerCase());
  const unknown = words.length ? words.find((word) => !deck.ids.has(word)) : '';
  if (unknown !== undefined) return { reason: 'no card', values: { text: unknown.slice(0, MAX_WORD) } };
  const missing = words.filter((word) => !hand.split(' ').includes(word));
  return missing.length ? { reason: 'not held', values: { cards: missing.join(' ') } } : null;
}
