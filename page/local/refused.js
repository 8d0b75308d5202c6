/** Requests that the tables refuse, with the status that the server would give, and moves, with the codes of the page's sentences. */

import { MAX_WORD } from './data/constants.js';

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Refuse a request because of what it says. */
export function refuse(sentence) {
  throw new Refused(422, sentence);
}

/** Write a value as the server's sentences show it. */
export function shown(value) {
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value) ?? 'missing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** Return why cards are not those of a hand, or null if they are. */
export function refusalOfCards(text, hand, deck) {
  const words = text.split(/\s+/).filter(Boolean).map((word) => word[0].toUpperCase() + word.slice(1).toLowerCase());
  const unknown = words.length ? words.find((word) => !deck.ids.has(word)) : '';
  if (unknown !== undefined) return { reason: 'no card', values: { text: unknown.slice(0, MAX_WORD) } };
  const missing = words.filter((word) => !hand.split(' ').includes(word));
  return missing.length ? { reason: 'not held', values: { cards: missing.join(' ') } } : null;
}
