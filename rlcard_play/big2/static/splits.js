/** How a hand splits: the fewest plays that it takes, if nobody answers them. */

import { api } from '../api.js';
import { cardsOf, miniMove } from '../cards.js';
import { h, panel, put } from '../dom.js';
import { preference, prefer } from '../preferences.js';
import { t } from '../strings.js';

const MOST = 5; // cards of a combination
const SHAPES = { 1: 'singles', 2: 'pairs', 3: 'triples', 22: 'two pairs', 4: 'fours', 32: 'full houses', 41: 'fours with a kicker' };
const PLAY = 64; // the cost of a play, of which that of a single is one more: of equal splits, one with fewer singles is shown

/** Return the kind of cards as a combination, one of the engine's `KIND_NAMES`, by the facts of some rules; undefined if they are none. */
export function kindOf(cards, { kinds, straights }) {
  const known = (kind) => kinds.some((one) => one.kind === kind) && kind;
  const ranks = new Set(cards.map((card) => card[0]));
  const counts = [...ranks].map((rank) => cards.filter((card) => card[0] === rank).length).sort((a, b) => b - a).join('');
  if (counts !== '11111') return known(SHAPES[counts]) || undefined;
  const isRun = straights.some((run) => [...run].every((rank) => ranks.has(rank)));
  const isSuited = cards.every((card) => card[1] === cards[0][1]);
  return (isRun && isSuited && known('straight flushes')) || (isSuited && known('flushes')) || (isRun && known('straights')) || undefined;
}

/** Return cards in the fewest combinations by the facts of some rules, those of most cards first. */
export function split(cards, facts) {
  const plays = cards.map(() => []); // masks of the combinations, by their first card
  const extend = (first, next, mask, taken) => {
    if (kindOf(taken, facts)) plays[first].push(mask);
    for (let i = next; i < cards.length && taken.length < MOST; i += 1) extend(first, i + 1, mask | 1 << i, [...taken, cards[i]]);
  };
  cards.forEach((card, i) => extend(i, i + 1, 1 << i, [card]));
  const known = new Map([[0, { cost: 0 }]]);
  const best = (left) => {
    if (known.has(left)) return known.get(left);
    let found = null;
    for (const play of plays[31 - Math.clz32(left & -left)]) {
      if (play & ~left) continue;
      const cost = best(left ^ play).cost + PLAY + !(play & play - 1);
      if (!found || cost < found.cost) found = { cost, play };
    }
    known.set(left, found);
    return found;
  };
  const groups = [];
  for (let left = 2 ** cards.length - 1; left;) {
    const { play } = best(left);
    groups.push(cards.filter((_, i) => play >> i & 1));
    left ^= play;
  }
  return groups.sort((a, b) => b.length - a.length);
}

/** Draw combinations in a row. */
export function drawn(groups) {
  return h('p', { class: 'groups-of' }, ...groups.map((group) => miniMove(group.join(' '))));
}

const facts = new Map(); // promises, by rules

/** Return what is known of rules, a preset's name or fields. */
export function factsOf(rules) {
  const text = typeof rules === 'string' ? rules : JSON.stringify(rules);
  if (!facts.has(text)) facts.set(text, api.rules('big2', text));
  return facts.get(text);
}

/** The split of a hand, drawn if the person asks for it, and how the selected move changes it. */
export class Splits {
  constructor() {
    this.shown = h('div');
    this.element = panel(t('split.title'), { class: 'splits', open: preference('splits', false) }, this.shown);
    this.element.addEventListener('toggle', () => this.toggled());
  }

  toggled() {
    prefer('splits', this.element.open);
    this.draw();
  }

  /** Show the hand of a view, with the selected move, or undefined. */
  show({ hand, rules, practice }, move) {
    Object.assign(this, { cards: cardsOf(hand), rules, move: cardsOf(move?.text) });
    this.element.hidden = practice === false || !this.cards.length; // nor is there other help at a strict table
    this.draw();
  }

  async draw() {
    const { cards, rules, move, element, shown } = this;
    if (!element.open || element.hidden) return;
    const found = await factsOf(rules).catch(() => null);
    if (!found || cards !== this.cards || move !== this.move) return; // there is a newer one
    const now = split(cards, found);
    const rest = move.length ? split(cards.filter((card) => !move.includes(card)), found) : null;
    const change = rest && (rest.length < now.length ? t('split.nearer', { n: rest.length }) : t('split.breaks', { n: rest.length }));
    put(shown, h('p', {}, t('split.fewest', { n: now.length })), drawn(now), rest && [h('p', { role: 'status' }, change), drawn(rest)]);
  }
}
