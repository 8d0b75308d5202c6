/** Selection of a move: the hand, the move that the selected cards make, and the buttons. */

import { cardsOf, moveName, PASS } from './cards.js';
import { button, enable, h, isEnabled, put } from './dom.js';
import { game } from './game.js';
import { Hand } from './hand.js';
import { announce, showReason } from './announcer.js';
import { Moves } from './moves.js';
import { preference, prefer } from './preferences.js';
import { t } from './strings.js';

const PAUSE = 150; // milliseconds before asking the server why a selection is not legal

export class Chooser {
  /**
   * @param onmove called with the text of the chosen move
   * @param why returns a promise of the reason why cards are not a legal move
   * @param extra more buttons
   */
  constructor({ onmove, why, extra = [] }) {
    Object.assign(this, { onmove, why, moves: new Moves([], []), waiting: '', asked: 0, busy: false, picked: null });
    this.hand = new Hand(() => this.selectionChanged(), (cards) => this.again(cards), (card) => this.exchanged(card), () => this.chosen !== undefined);
    const kept = preference('order', null);
    this.order = game.orders.includes(kept) ? kept : game.orders[0];
    this.playButton = button('', () => this.play(), { class: 'primary play', 'aria-keyshortcuts': 'Enter' });
    this.passButton = button(t('button.pass'), () => this.pass(), { 'aria-keyshortcuts': 'p' });
    this.clearButton = button(t('button.clear'), () => this.clear(), { class: 'wide-only', 'aria-keyshortcuts': 'Escape' });
    this.walkButton = button([h('span', { 'aria-hidden': 'true' }, '↻'), h('span', { class: 'walk-text' }, t('button.walk'))], () => this.walk(), { class: 'walk', title: t('button.walk title'), 'aria-keyshortcuts': 'c' });
    this.walkButton.hidden = game.isSingle;
    this.entry = this.madeEntry();
    this.element = h('section', { class: 'chooser', 'aria-label': t('hand.label') },
      h('div', { class: 'hand-head' }, this.count = h('h2', {}), this.walkButton, this.sorting()),
      this.hand.element, this.entry, this.choices = h('div', { class: 'calls', role: 'group' }),
      h('div', { class: 'controls' }, this.playButton, this.passButton, this.clearButton, ...extra));
    this.aid = game.aid?.(); // its element is beside the table
  }

  sorting() {
    const choose = (order) => {
      prefer('order', this.order = order);
      this.hand.show(this.hand.cards.slice().sort((a, b) => this.original.indexOf(a) - this.original.indexOf(b)), order, this.trump);
      mark();
    };
    const buttons = game.orders.map((order) => button(t(`sort.${order}`), () => choose(order)));
    const mark = () => buttons.forEach((one, i) => one.setAttribute('aria-pressed', String(game.orders[i] === this.order)));
    mark();
    return h('div', { class: 'segments', role: 'group', 'aria-label': t('sort.label') }, ...buttons);
  }

  madeEntry() {
    const input = h('input', { 'aria-label': t('entry.label'), placeholder: game.example, autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' });
    const close = () => {
      this.entry.hidden = true;
      input.value = '';
      this.hand.focus();
    };
    const enter = (event) => {
      event.preventDefault();
      this.enter(input.value);
      close();
    };
    const form = h('form', { class: 'entry', hidden: true, onsubmit: enter, onkeydown: (event) => event.key === 'Escape' && close() },
      input, button(t('button.enter'), null, { type: 'submit' }));
    form.begin = () => {
      form.hidden = false;
      input.focus();
    };
    return form;
  }

  /** Show the hand of a view with its legal moves; `waiting` is the label if there are none. */
  show(view, waiting = '') {
    const { hand, legal, kinds, trump } = view;
    this.view = view;
    this.rules = view.rules;
    this.original = cardsOf(hand);
    this.trump = trump;
    const isNew = String(legal) !== String(this.moves.all.map((move) => move.text));
    if (isNew) this.picked = null;
    this.moves = new Moves(legal ?? [], kinds ?? []);
    this.waiting = waiting;
    this.passButton.hidden = !game.hasPass(view);
    this.hand.show(this.original, this.order, trump);
    put(this.count, t('hand.count', { n: this.original.length }));
    if (isNew && legal?.length === 1) this.select(legal[0]);
    else this.refresh();
  }

  /** Its keyboard shortcuts. */
  get keys() {
    return { Enter: () => this.play(), Escape: () => this.clear(), c: () => this.walk(), p: () => this.pass(), '/': () => this.entry.begin() };
  }

  /** The legal move that the selected cards make, or undefined. */
  get chosen() {
    return this.moves.find(this.hand.selected);
  }

  /** The text of the move that is selected, or null. */
  get weighed() {
    return this.chosen?.text ?? this.picked;
  }

  get isMine() {
    return this.moves.all.length > 0;
  }

  selectionChanged() {
    this.picked = null;
    this.refresh();
  }

  refresh() {
    const { selected } = this.hand;
    const { chosen } = this;
    const { choices } = this.moves;
    this.hand.dim(this.isMine && !choices.length ? this.moves.completing(selected) : null);
    put(this.choices, ...choices.map((one) => this.call(one.text)));
    this.playButton.hidden = this.clearButton.hidden = choices.length > 0;
    this.choices.hidden = !choices.length;
    put(this.playButton, this.label(chosen));
    enable(this.playButton, chosen !== undefined);
    enable(this.walkButton, this.moves.combinations.length > 0);
    enable(this.passButton, this.moves.mayPass);
    this.passButton.classList.toggle('primary', this.moves.onlyPass || this.picked === PASS);
    enable(this.clearButton, selected.size > 0);
    this.aid?.show(this.view, chosen);
    showReason('');
    this.asked += 1;
    if (this.isMine && selected.size && !this.moves.hasWith(selected) && !choices.length) this.explain([...selected].join(' '), this.asked, PAUSE);
  }

  /** Return the button of a move without cards. */
  call(text) {
    return button(game.call(text), () => this.make(text), { class: this.picked === text ? 'primary' : null, 'aria-label': moveName(text, null, true) });
  }

  label(chosen) {
    if (chosen) return t('button.play', { move: moveName(chosen.text, chosen.kind) });
    if (!this.isMine) return this.waiting || t('button.wait');
    if (this.moves.onlyPass) return t('button.only pass');
    const { selected } = this.hand;
    if (!selected.size) return t('button.choose');
    const missing = this.moves.missing(selected);
    return missing < Infinity ? t('button.more', { n: missing }) : t('button.no move');
  }

  async explain(move, asked, pause = 0) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (asked !== this.asked) return;
    const sentence = await this.why(move).catch((error) => error.message);
    if (asked === this.asked) showReason(sentence, this.rules);
  }

  /** Select the cards of a move, or highlight its button, for `play`. */
  select(move) {
    this.hand.select(cardsOf(move));
    this.picked = cardsOf(move).length ? null : move;
    this.refresh();
  }

  /** Select a move, and give the hand the focus, so that Enter plays it. */
  prepare(move) {
    this.select(move);
    this.hand.focus();
  }

  /** Prepare the best move, and say so. */
  suggest(move) {
    this.prepare(move);
    announce(t('say.hint', { move: moveName(move, this.moves.kindOf(move), true) }));
  }

  /** Select the next of the combinations that may be played. */
  walk() {
    const { combinations } = this.moves;
    if (!combinations.length || game.isSingle) return;
    const place = (combinations.findIndex((move) => move.text === this.chosen?.text) + 1) % combinations.length;
    this.select(combinations[place].text);
    const { text, kind } = combinations[place];
    announce(t('say.walk', { n: place + 1, all: combinations.length, move: moveName(text, kind, true) }));
  }

  /** Return the selected card of the same rank that a card replaces, if they make no move together. */
  exchanged(card) {
    const { selected } = this.hand;
    if (this.moves.hasWith(new Set([...selected, card]))) return undefined;
    return [...selected].find((other) => other[0] === card[0] && this.moves.hasWith(new Set([...selected, card].filter((one) => one !== other))));
  }

  /** Play these cards if they are a move; return a promise of the answer, or false. */
  again(cards) {
    const found = this.moves.find(cards);
    return found ? this.make(found.text) : false;
  }

  clear() {
    this.hand.select([]);
    this.selectionChanged();
  }

  play() {
    if (this.chosen) this.make(this.chosen.text);
    else if (this.picked !== null) this.make(this.picked);
  }

  pass() {
    if (isEnabled(this.passButton)) this.make(PASS);
  }

  /** Make a typed move, or show why it is not legal. */
  enter(text) {
    const move = game.typed(text, this.moves.choices.length > 0);
    if (!this.isMine || !move) return;
    const found = cardsOf(move).length ? this.moves.find(cardsOf(move))?.text : this.moves.all.find((one) => one.text === move)?.text;
    if (found) this.make(found);
    else this.explain(move, this.asked += 1);
  }

  async make(move) {
    if (this.busy) return;
    this.busy = true;
    try {
      await this.onmove(move);
    } finally {
      this.busy = false;
    }
    const { activeElement } = document;
    if (this.element.contains(activeElement) || activeElement === document.body) this.hand.focus(); // so that Enter does not press the same button again
  }
}
