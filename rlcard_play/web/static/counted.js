/** Deals that count once: what this browser keeps of them, and what the levels win with them. */

import { api } from './api.js';
import { h } from './dom.js';
import { game } from './game.js';
import { preference, prefer } from './preferences.js';
import { signed, t } from './strings.js';

/** Where they are kept, and the way from the end of a table to the screen of such deals. */
const SCREENS = { days: () => [`?day=${game.key}`, t('day.compare')], eight: ({ link }) => [`?eight#eight=${link}`, t('eight.on')] };

/** Return what is kept of deals by key: the `table`; once it is over the `payoff`, `record`, and whether it was `helped`; and the payoffs of the `levels`. */
export function kept(screen) {
  return Object.fromEntries(Object.entries(preference(`${screen}.${game.key}`, {})).filter(([, one]) => typeof one?.table === 'string'));
}

/** Whether the deal of what is kept has been played. */
export const isDone = (one) => typeof one?.payoff === 'number';

export class CountedDeal {
  /**
   * @param screen a key of `SCREENS`
   * @param key of the deal there
   * @param asked the `game`, `rules` and `deal` of its tables
   */
  constructor(screen, key, asked = null) {
    Object.assign(this, { screen, key, asked });
  }

  /** What is kept of it. */
  get one() {
    return kept(this.screen)[this.key];
  }

  keep(fields) {
    prefer(`${this.screen}.${game.key}`, { ...kept(this.screen), [this.key]: { ...this.one, ...fields } });
  }

  /** Keep the result of a view of its table, if that is over. */
  async settle(view) {
    if (isDone(this.one) || !view.over?.record) return;
    const { help = {} } = await api.record(view.over.record);
    this.keep({ payoff: game.payoff(view.over.payoffs, 0), record: view.over.record, helped: Boolean(help.advice || help.takebacks || view.you === null) });
  }

  /** Keep the result of its table if that is over by now; forget a table that is gone. */
  async look() {
    if (!this.one || isDone(this.one)) return;
    try {
      await this.settle(await api.view(this.one.table));
    } catch (error) {
      if (error.status === 404) this.keep({ table: null });
    }
  }

  /** Open a table with the deal and go there; it counts if something is to be kept of it. */
  async begin(own, kept = null) {
    const { seats } = own.rules.find(({ name }) => name === this.asked.rules);
    const name = preference('name', '') || undefined;
    const { table } = await api.open({ ...this.asked, seats: ['me', ...Array(seats - 1).fill(own.advisor)], name });
    if (kept) this.keep({ ...kept, table });
    location.assign(`?table=${table}`);
  }

  /** Have the levels play it, one after the other. */
  async compare(own, redraw) {
    for (const [name, agent] of levelsOf(own)) {
      const { levels = {} } = this.one;
      if (name in levels) continue;
      this.keep({ levels: { ...levels, [name]: (await api.result({ ...this.asked, agent })).payoff } });
      redraw();
    }
  }
}

/** Return the levels that can be seated, by the options of new tables: name and agent. */
export function levelsOf(own) {
  return Object.entries(game.levels).filter(([, agent]) => own.agents.includes(agent));
}

/** Return the link from the end of the table of such a deal, and keep its result; null at other tables. */
export function countedLink(view) {
  for (const screen of Object.keys(SCREENS)) {
    const [key, one] = Object.entries(kept(screen)).find(([, { table }]) => table === view.table) ?? [];
    if (!one) continue;
    new CountedDeal(screen, key).settle(view).catch(() => {}); // again on its screen
    const [href, text] = SCREENS[screen](one);
    return h('div', { class: 'controls' }, h('a', { class: 'button primary', href }, text));
  }
  return null;
}

/** Rank the user among others, each a name and a payoff, which may not be known yet. */
export function standings(payoff, others) {
  const rows = [[t('seat.you'), payoff, true], ...others];
  rows.sort(([, first = -Infinity], [, second = -Infinity]) => second - first);
  return h('table', { class: 'results', 'aria-label': t('day.compare') }, h('tbody', {}, ...rows.map(([name, won, isOwn]) => h('tr', { class: isOwn && 'winner' }, h('th', { scope: 'row' }, name), h('td', { class: 'number' }, won === undefined ? '…' : signed(won))))));
}
