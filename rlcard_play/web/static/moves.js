/** Legal moves, matched with a selection of cards. The page has no other knowledge of the rules. */

import { cardsOf, PASS } from './cards.js';

export class Moves {
  /**
   * @param legal texts of the legal moves
   * @param kinds names of their kinds
   */
  constructor(legal, kinds) {
    this.all = legal.map((text, i) => ({ text, kind: kinds[i], cards: new Set(cardsOf(text)) }));
  }

  /** The moves without cards, except the pass. */
  get choices() {
    return this.all.filter((move) => !move.cards.size && move.text !== PASS);
  }

  get mayPass() {
    return this.all.some((move) => move.text === PASS);
  }

  get onlyPass() {
    return this.all.length === 1 && this.mayPass;
  }

  /** Return the move with exactly these cards, or undefined. */
  find(cards) {
    const wanted = new Set(cards);
    if (!wanted.size) return undefined;
    return this.all.find((move) => move.cards.size === wanted.size && includes(move.cards, wanted));
  }

  /** Whether a move has these cards, and maybe others. */
  hasWith(cards) {
    return this.missing(cards) < Infinity;
  }

  /** Return the least number of cards that make a move of these; Infinity if none do. */
  missing(cards) {
    return Math.min(...this.all.filter((move) => includes(move.cards, cards)).map((move) => move.cards.size - cards.size));
  }

  /** Return the moves with cards, one for each kind and ranks; those with most cards first. */
  get combinations() {
    const found = new Map();
    for (const move of this.all.filter(({ cards }) => cards.size)) {
      const name = [move.kind, ...[...move.cards].map((card) => card[0])].join();
      if (!found.has(name)) found.set(name, move);
    }
    return [...found.values()].sort((a, b) => b.cards.size - a.cards.size);
  }

  /** Return the cards that occur in a move with these. */
  completing(cards) {
    const possible = this.all.filter((move) => includes(move.cards, cards));
    return new Set(possible.flatMap((move) => [...move.cards]));
  }

  /** Return the kind of a move. */
  kindOf(text) {
    return this.all.find((move) => move.text === text)?.kind;
  }
}

function includes(set, cards) {
  return [...cards].every((card) => set.has(card));
}
