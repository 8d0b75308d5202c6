/** A hand of selectable cards: a row of buttons with one tab stop and arrow keys. */

import { face, spoken } from './cards.js';
import { h } from './dom.js';
import { makeDraggable } from './drag.js';
import { game } from './game.js';
import { t } from './strings.js';

const MOST_IN_A_ROW = 7; // on narrow screens
const DOUBLE = 350; // milliseconds between the presses of a double one

export class Hand {
  /**
   * @param onchange called when the user changes the selection
   * @param onagain called with the selection of a double press, when it is dropped on the felt, or when the user presses the selected card
   *   once more in games of one card a move; returns a promise of the answer, or false if it is not a move
   * @param exchanged returns the selected card that a newly pressed one replaces, or undefined
   * @param isMove returns whether the selection is a move
   */
  constructor(onchange, onagain, exchanged, isMove) {
    Object.assign(this, { onchange, onagain, exchanged, isMove, pressed: { card: null, time: 0 } });
    this.cards = [];
    this.selected = new Set();
    this.buttons = new Map();
    this.current = null; // the card with the tab stop
    this.element = h('div', { class: 'hand', role: 'group', 'aria-label': t('hand.label'), onkeydown: (event) => this.walk(event) });
    this.element.addEventListener('focusin', (event) => this.reach(event.target.dataset.card));
    makeDraggable(this);
  }

  /** Show these cards in this order; remaining cards keep their selection and focus. */
  show(cards, order, trump) {
    const place = this.cards.indexOf(this.current);
    const focused = this.element.contains(document.activeElement);
    this.cards = game.sorted(cards, order, trump);
    this.selected = new Set([...this.selected].filter((card) => cards.includes(card)));
    for (const card of this.cards) if (!this.buttons.has(card)) this.buttons.set(card, this.made(card));
    const wanted = this.cards.map((card) => this.buttons.get(card));
    if (wanted.length !== this.element.children.length || wanted.some((one, i) => one !== this.element.children[i])) {
      this.element.replaceChildren(...wanted);
    }
    const rows = Math.ceil(cards.length / MOST_IN_A_ROW);
    this.element.style.setProperty('--columns', Math.ceil(cards.length / Math.max(rows, 1)));
    if (!this.cards.includes(this.current)) this.current = this.cards[Math.min(Math.max(place, 0), this.cards.length - 1)] ?? null;
    this.paint();
    if (focused) this.focus();
  }

  made(card) {
    return h('button', { type: 'button', class: 'card', 'data-card': card, 'aria-label': spoken(card), onclick: (event) => this.press(card, event) }, face(card));
  }

  /** Toggle a card, or play: by a double press, or in games of one card a move by pressing the selected card. */
  press(card, event) {
    const isClick = event.detail > 0; // not a key
    const isSoon = event.detail === 2 || event.timeStamp - this.pressed.time < DOUBLE; // some browsers do not count taps
    const isDouble = isClick && card === this.pressed.card && isSoon;
    this.pressed = { card, time: event.timeStamp };
    if (isClick && game.isSingle && this.selected.has(card)) this.onagain(this.selected);
    else if (!isDouble || !this.onagain(new Set([...this.selected, card]))) this.toggle(card);
  }

  toggle(card) {
    const wasSelected = this.selected.delete(card);
    if (game.isSingle) this.selected.clear();
    if (!wasSelected) {
      this.selected.delete(this.exchanged(card));
      this.selected.add(card);
    }
    this.paint();
    this.onchange();
  }

  /** Select exactly these cards. */
  select(cards) {
    this.selected = new Set(cards);
    this.paint();
  }

  /** Dim the cards that are neither selected nor in this set; null dims none. */
  dim(useful) {
    for (const card of this.cards) {
      this.buttons.get(card).classList.toggle('dim', useful !== null && !useful.has(card) && !this.selected.has(card));
    }
  }

  paint() {
    for (const card of this.cards) {
      const button = this.buttons.get(card);
      button.setAttribute('aria-pressed', String(this.selected.has(card)));
      button.tabIndex = card === this.current ? 0 : -1;
    }
  }

  reach(card) {
    if (card === undefined) return;
    this.current = card;
    this.paint();
  }

  focus() {
    this.buttons.get(this.current)?.focus({ preventScroll: true });
  }

  walk(event) {
    const steps = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.columns(), ArrowUp: -this.columns() };
    const last = this.cards.length - 1;
    const ends = { Home: 0, End: last };
    if (!(event.key in steps) && !(event.key in ends)) return;
    event.preventDefault();
    event.stopPropagation();
    const place = ends[event.key] ?? this.cards.indexOf(this.current) + steps[event.key];
    this.reach(this.cards[Math.min(Math.max(place, 0), last)]);
    this.focus();
  }

  /** Return the number of cards in the first row. */
  columns() {
    const tops = this.cards.map((card) => this.buttons.get(card).offsetTop);
    const row = tops.filter((top) => top === tops[0]).length;
    return row === tops.length ? 0 : row;
  }
}
