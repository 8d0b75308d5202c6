/** The advice panel of a table: off, on demand, or on. */

import { deepened, lookButton, valueList } from './advice.js';
import { button, h, panel, put } from './dom.js';
import { preference, prefer } from './preferences.js';
import { announce } from './announcer.js';
import { t } from './strings.js';

const MODES = ['off', 'demand', 'on'];

export class AdvicePanel {
  /**
   * @param chooser prepares moves, and has the one that is selected
   * @param fetch requests advice, deep or not, with a move to compare, and calls a function with the share that is done
   */
  constructor(chooser, fetch) {
    Object.assign(this, { chooser, fetch, answer: null, ply: null, may: false, asked: 0 });
    this.mode = preference('advice', 'demand');
    this.body = h('div', { class: 'advice-body' });
    this.modes = MODES.map((mode) => button(t(`advice.${mode}`), () => this.choose(mode)));
    this.switches = h('div', { class: 'segments', role: 'group', 'aria-label': t('advice.title') }, ...this.modes);
    this.element = panel(t('advice.title'), { class: 'advice', open: true }, this.switches, this.body);
    this.mark();
  }

  mark() {
    this.modes.forEach((one, i) => one.setAttribute('aria-pressed', String(MODES[i] === this.mode)));
  }

  choose(mode) {
    prefer('advice', this.mode = mode);
    this.mark();
    if (mode === 'off') this.answer = null;
    this.refresh();
  }

  /** Update for a new view. */
  show(view) {
    const mayAsk = view.you !== null && view.practice && !view.over && !view.waiting;
    this.element.hidden = view.you === null || Boolean(view.over || view.waiting);
    this.switches.hidden = !view.practice;
    this.strict = !view.practice;
    this.may = mayAsk && view.legal.length > 1;
    if (this.ply !== view.ply) this.answer = null;
    this.ply = view.ply;
    this.refresh();
  }

  refresh() {
    if (this.answer) put(this.body, ...this.lines());
    else put(this.body, h('p', { class: 'quiet' }, this.idle()));
    if (!this.answer && this.may && this.mode === 'on') this.ask();
  }

  lines() {
    const deep = this.answer.deep ? null : lookButton((onprogress) => this.ask(true, onprogress));
    return [...valueList(this.answer, (move) => this.chooser.prepare(move)), h('div', { class: 'panel-foot' }, deep, this.meaning())];
  }

  meaning() {
    return h('details', { class: 'meaning' }, h('summary', {}, t('advice.what')), h('p', {}, t('advice.meaning')));
  }

  idle() {
    if (this.strict) return t('advice.strict');
    if (this.mode === 'off') return t('advice.is off');
    if (!this.may) return t('advice.not now');
    return t(this.mode === 'on' ? 'advice.coming' : 'advice.ask');
  }

  async ask(deep = false, onprogress = undefined) {
    const asked = this.asked += 1;
    const [hinted, weighed] = [this.answer?.moves[0].move, deep ? this.chooser.weighed : null];
    this.body.setAttribute('aria-busy', 'true');
    try {
      const answer = await this.fetch(deep, weighed, onprogress);
      if (asked !== this.asked || answer.ply !== this.ply) return;
      this.answer = { ...deepened(answer), weighed };
      put(this.body, ...this.lines());
      if (weighed && weighed === hinted && this.chooser.weighed === hinted) this.chooser.suggest(this.answer.moves[0].move); // the hint may be another now
    } catch (error) {
      if (asked === this.asked && error.status !== 409) announce(error.message); // 409: it is another seat's turn by now
    } finally {
      if (asked === this.asked) this.body.removeAttribute('aria-busy');
    }
  }

  /** Return the best move, requesting advice if necessary; null if there is none. */
  async best() {
    if (this.mode === 'off') {
      announce(t('advice.is off'));
      return null;
    }
    if (!this.answer) await this.ask();
    return this.answer?.moves[0] ?? null;
  }

  /** Select the cards of a line. */
  take(number) {
    const one = this.answer?.moves[number];
    if (one) this.chooser.prepare(one.move);
  }
}
