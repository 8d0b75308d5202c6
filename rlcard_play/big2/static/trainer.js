/** A trainer of splits: half a minute to put a hand into as few combinations as possible. */

import { miniMove } from '../cards.js';
import { button, enable, h, put } from '../dom.js';
import { game, useGame } from '../game.js';
import { Hand } from '../hand.js';
import { useKeys } from '../keys.js';
import { line, announce } from '../announcer.js';
import { preference, prefer } from '../preferences.js';
import { rulesName } from '../rulebook.js';
import { t } from '../strings.js';
import { drawn, factsOf, kindOf, split } from './splits.js';

const SECONDS = 30;
const TICK = 200; // milliseconds

/** Show the trainer, by the default rules. */
export async function showTrainer(root) {
  await useGame('big2');
  const trainer = new Trainer(await factsOf(game.rules));
  root.replaceChildren(trainer.element);
  trainer.deal();
}

/** Return a random hand. */
function dealt({ fields }) {
  const deck = game.ranks.slice(-fields.ranks).split('').flatMap((rank) => [...fields.suits].map((suit) => rank + suit));
  const order = new Map(deck.map((card) => [card, crypto.getRandomValues(new Uint32Array(1))[0]]));
  const chosen = new Set([...deck].sort((a, b) => order.get(a) - order.get(b)).slice(0, fields.hand_size));
  return deck.filter((card) => chosen.has(card));
}

class Trainer {
  constructor(facts) {
    this.facts = facts;
    this.hand = new Hand(() => this.refresh(), (cards) => this.group(cards), () => undefined, () => this.isPlay);
    this.time = h('progress', { max: SECONDS, 'aria-label': t('split.time') });
    this.taken = h('div', { class: 'groups-of', role: 'group', 'aria-label': t('split.groups') });
    this.take = button(t('split.take'), () => this.group(this.hand.selected), { class: 'primary', 'aria-keyshortcuts': 'Enter' });
    this.finish = button(t('split.finish'), () => this.end(), { 'aria-keyshortcuts': 'f' });
    this.next = button(t('split.next'), () => this.deal(), { class: 'primary', 'aria-keyshortcuts': 'n' });
    this.controls = h('div', { class: 'controls' }, this.take, this.finish, this.next);
    this.answer = h('div', { class: 'answer' });
    this.score = h('p', { class: 'quiet' });
    this.element = h('div', { class: 'study splitting' }, h('h2', {}, t('split.trainer')), h('p', {}, t('split.task', { n: SECONDS, rules: rulesName(facts.rules) })), this.score,
      this.time, line, h('section', { class: 'chooser' }, this.hand.element, this.controls), this.taken, this.answer);
    useKeys({ Enter: () => (this.isOver ? this.deal() : this.group(this.hand.selected)), Escape: () => this.hand.select([]), f: () => this.end(), n: () => this.isOver && this.deal(), u: () => this.back(this.groups.length - 1) });
  }

  get isPlay() {
    return kindOf([...this.hand.selected], this.facts) !== undefined;
  }

  deal() {
    Object.assign(this, { cards: dealt(this.facts), groups: [], isOver: false, left: SECONDS });
    put(this.answer);
    announce('');
    this.hand.select([]);
    this.show();
    this.hand.focus();
    clearInterval(this.timer);
    this.timer = setInterval(() => this.tick(), TICK);
  }

  tick() {
    this.left -= TICK / 1000;
    this.time.value = this.left;
    if (!this.element.isConnected) clearInterval(this.timer);
    else if (this.left <= 0) this.end();
  }

  show() {
    this.hand.show(this.cards.filter((card) => !this.groups.flat().includes(card)), 'rank');
    put(this.taken, ...this.groups.map((cards, i) => button(miniMove(cards.join(' ')), () => this.back(i), { title: t('split.back') })));
    for (const one of [this.take, this.finish]) one.hidden = this.isOver;
    this.next.hidden = !this.isOver;
    const { hands = 0, fewest = 0, series = 0, best = 0 } = preference('split.score', {});
    put(this.score, hands ? t('split.score', { n: hands, fewest, series, best }) : '');
    this.time.value = this.left;
    this.refresh();
  }

  refresh() {
    enable(this.take, this.isPlay);
  }

  /** Put cards together if they are a combination; the last cards end the hand. */
  group(cards) {
    const chosen = this.cards.filter((card) => cards.has(card));
    if (this.isOver || !kindOf(chosen, this.facts)) return false;
    this.groups.push(chosen);
    this.hand.select([]);
    this.show();
    if (this.groups.flat().length === this.cards.length) this.end();
    else this.hand.focus();
    return Promise.resolve();
  }

  back(i) {
    if (this.isOver || !this.groups[i]) return;
    this.groups.splice(i, 1);
    this.show();
  }

  /** Compare with the fewest; cards that are in no group are played one by one. */
  end() {
    if (this.isOver) return;
    clearInterval(this.timer);
    const plays = this.groups.length + this.hand.cards.length;
    const best = split(this.cards, this.facts);
    const before = { hands: 0, fewest: 0, series: 0, best: 0, ...preference('split.score', {}) };
    const isBest = plays === best.length;
    const series = isBest ? before.series + 1 : 0;
    prefer('split.score', { hands: before.hands + 1, fewest: before.fewest + isBest, series, best: Math.max(before.best, series) });
    this.isOver = true;
    const text = isBest ? t('split.right', { n: plays }) : t('split.wrong', { n: plays, best: best.length });
    put(this.answer, drawn(best));
    announce(text);
    this.show();
    this.next.focus();
  }
}
