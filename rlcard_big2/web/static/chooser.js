/** Selection of a move: the hand, the move that the selected cards make, and the buttons. */

import { cardsOf, moveName, PASS, typed } from './cards.js';
import { button, enable, h, isEnabled, put } from './dom.js';
import { Hand } from './hand.js';
import { showReason } from './announcer.js';
import { Moves } from './moves.js';
import { preference, prefer } from './preferences.js';
import { t } from './strings.js';

const ORDERS = ['rank', 'suit', 'groups'];
const PAUSE = 150; // milliseconds before asking the server why a selection is not legal

export class Chooser {
  /**
   * @param onmove called with the text of the chosen move
   * @param why returns a promise of the reason why cards are not a legal move
   * @param extra more buttons
   */
  constructor({ onmove, why, extra = [] }) {
    Object.assign(this, { onmove, why, moves: new Moves([], []), waiting: '', asked: 0, busy: false, passing: false });
    this.hand = new Hand(() => this.selectionChanged());
    this.order = preference('order', 'rank');
    this.playButton = button('', () => this.play(), { class: 'primary play', 'aria-keyshortcuts': 'Enter' });
    this.passButton = button(t('button.pass'), () => this.pass(), { 'aria-keyshortcuts': 'p' });
    this.clearButton = button(t('button.clear'), () => this.clear(), { class: 'wide-only', 'aria-keyshortcuts': 'Escape' });
    this.entry = this.madeEntry();
    this.element = h('section', { class: 'chooser', 'aria-label': t('hand.label') },
      h('div', { class: 'hand-head' }, this.count = h('h2', {}), this.sorting()),
      this.hand.element, this.entry,
      h('div', { class: 'controls' }, this.playButton, this.passButton, this.clearButton, ...extra));
  }

  sorting() {
    const choose = (order) => {
      prefer('order', this.order = order);
      this.hand.show(this.hand.cards.slice().sort((a, b) => this.original.indexOf(a) - this.original.indexOf(b)), order);
      mark();
    };
    const buttons = ORDERS.map((order) => button(t(`sort.${order}`), () => choose(order)));
    const mark = () => buttons.forEach((one, i) => one.setAttribute('aria-pressed', String(ORDERS[i] === this.order)));
    mark();
    return h('div', { class: 'segments', role: 'group', 'aria-label': t('sort.label') }, ...buttons);
  }

  madeEntry() {
    const input = h('input', { 'aria-label': t('entry.label'), placeholder: '10h 10s', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false' });
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

  /** Show a hand with its legal moves; `waiting` is the label if there are none. */
  show({ hand, legal, kinds, waiting = '' }) {
    this.original = cardsOf(hand);
    if (String(legal) !== String(this.moves.all.map((move) => move.text))) this.passing = false;
    this.moves = new Moves(legal ?? [], kinds ?? []);
    this.waiting = waiting;
    this.hand.show(this.original, this.order);
    put(this.count, t('hand.count', { n: this.original.length }));
    this.refresh();
  }

  /** The legal move that the selected cards make, or undefined. */
  get chosen() {
    return this.moves.find(this.hand.selected);
  }

  get isMine() {
    return this.moves.all.length > 0;
  }

  selectionChanged() {
    this.passing = false;
    this.refresh();
  }

  refresh() {
    const { selected } = this.hand;
    const { chosen } = this;
    this.hand.dim(this.isMine ? this.moves.completing(selected) : null);
    put(this.playButton, this.label(chosen));
    enable(this.playButton, chosen !== undefined);
    enable(this.passButton, this.moves.mayPass);
    this.passButton.classList.toggle('primary', this.moves.onlyPass || this.passing);
    enable(this.clearButton, selected.size > 0);
    showReason('');
    this.asked += 1;
    if (this.isMine && selected.size && !chosen) this.explain([...selected].join(' '), this.asked, PAUSE);
  }

  label(chosen) {
    if (chosen) return t('button.play', { move: moveName(chosen.text, chosen.kind) });
    if (!this.isMine) return this.waiting || t('button.wait');
    if (this.moves.onlyPass) return t('button.only pass');
    return this.hand.selected.size ? t('button.no move') : t('button.choose');
  }

  async explain(move, asked, pause = 0) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    if (asked !== this.asked) return;
    const sentence = await this.why(move).catch((error) => error.message);
    if (asked === this.asked) showReason(sentence);
  }

  /** Select the cards of a move, or highlight the pass button, for `play`. */
  select(move) {
    this.hand.select(cardsOf(move));
    this.passing = move === PASS;
    this.refresh();
  }

  clear() {
    this.hand.select([]);
    this.selectionChanged();
  }

  play() {
    if (this.chosen) this.make(this.chosen.text);
    else if (this.passing) this.pass();
  }

  pass() {
    if (isEnabled(this.passButton)) this.make(PASS);
  }

  /** Make a typed move, or show why it is not legal. */
  enter(text) {
    const move = typed(text);
    if (!this.isMine || !move) return;
    const found = move === PASS ? (this.moves.mayPass ? PASS : undefined) : this.moves.find(cardsOf(move))?.text;
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
    if (this.element.contains(document.activeElement)) this.hand.focus(); // so that Enter does not press the same button again
  }
}
