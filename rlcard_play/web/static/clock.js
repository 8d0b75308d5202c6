/** The time that is left for a move, counted down. */

import { h } from './dom.js';
import { t } from './strings.js';

const TICK = 250; // milliseconds
const SHORT = 5; // seconds that are marked
const LATE = 500; // milliseconds by which the news of a move may come before the time is out

export class Clock {
  constructor() {
    this.element = h('p', { class: 'clock', role: 'timer', hidden: true });
    this.until = null;
    setInterval(() => this.tick(), TICK);
  }

  /** Show the time left in a view; none without a clock. */
  show(view) {
    this.until = view.clock === null || view.over ? null : performance.now() + 1000 * view.clock;
    this.tick();
  }

  /** Whether the time is out, unless a move was made. */
  get isOut() {
    return this.until !== null && performance.now() > this.until - LATE;
  }

  /** Stop, because a move is made. */
  stop() {
    this.until = null;
  }

  tick() {
    this.element.hidden = this.until === null;
    if (this.until === null) return;
    const left = Math.max(0, Math.ceil((this.until - performance.now()) / 1000));
    const text = t('clock.left', { n: left });
    if (this.element.textContent !== text) this.element.textContent = text;
    this.element.classList.toggle('short', left <= SHORT);
  }
}
