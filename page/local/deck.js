/** Cards as numbers, masks and texts. A mask is a BigInt whose bit `id` is set for each card in it. */

import { NUM_CARDS } from '../engine/constants.js';
import { Refused, shown } from './refused.js';

const BIT = Array.from({ length: NUM_CARDS }, (_, card) => 1n << BigInt(card));

/** Return the mask of card ids. */
export function maskOf(cards) {
  return cards.reduce((mask, card) => mask | BIT[card], 0n);
}

/** Return the card ids of a mask, ascending. */
export function cardsIn(mask) {
  const found = [];
  for (let card = 0; card < NUM_CARDS; card += 1) if (mask & BIT[card]) found.push(card);
  return found;
}

/** Return the cards of several masks together. */
export function union(masks) {
  return masks.reduce((all, mask) => all | mask, 0n);
}

/** Return the number of cards of a mask. */
export function countOf(mask) {
  return cardsIn(mask).length;
}

/** The names of cards, by id. */
export class Deck {
  /** @param names of the cards, by id */
  constructor(names) {
    this.names = names;
    this.ids = new Map(names.map((name, id) => [name, id]));
  }

  /** Write a mask as text, ascending. */
  format(mask) {
    return cardsIn(mask).map((card) => this.names[card]).join(' ');
  }

  /** Read cards such as 'Tc Th', in any order, and return their mask. */
  parse(text, name = 'it') {
    if (typeof text !== 'string') throw new Refused(422, `${name} is ${shown(text)}: it must be text`);
    let mask = 0n;
    for (const word of text.split(/\s+/).filter(Boolean)) {
      const card = this.ids.get(word[0].toUpperCase() + word.slice(1).toLowerCase());
      if (card === undefined) throw new Refused(422, `${name}: ${shown(word)} is not a card: write a rank and a suit, such as ${this.names[0]}`);
      if (mask & BIT[card]) throw new Refused(422, `${name}: ${shown(text)} names a card twice`);
      mask |= BIT[card];
    }
    return mask;
  }
}
