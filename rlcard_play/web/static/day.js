/** The deal of the day: its seed is the date in UTC, so that everybody gets the same cards. It counts once. */

import { api } from './api.js';
import { button, h, put } from './dom.js';
import { game, useGame } from './game.js';
import { preference, prefer } from './preferences.js';
import { copying } from './seating.js';
import { rulesName } from './rulebook.js';
import { gameName, signed, t } from './strings.js';

const DAY = 86_400_000; // milliseconds
const WEEKS = 5; // of the calendar
const SQUARES = { '-1': '⬜', 0: '🟨', 1: '🟩' }; // worse than a level, equal, better

/** Return the date of today, or of some days before; a wrong clock changes nothing else. */
function date(ago = 0) {
  return new Date(Date.now() - ago * DAY).toISOString().slice(0, -14);
}

function dealOf(day) {
  return { game: game.key, rules: game.rules, deal: `${Number(day.replace(/\D/g, ''))}/0` };
}

function written(day, dateStyle = 'long') {
  return new Date(`${day}T00:00Z`).toLocaleDateString(document.documentElement.lang, { dateStyle, timeZone: 'UTC' });
}

/** Return what this browser keeps of the days: the `table`; once it is over the `payoff`, `record`, and whether it was `helped`; and the payoffs of the `levels`. */
function days() {
  return Object.fromEntries(Object.entries(preference(`days.${game.key}`, {})).filter(([, one]) => typeof one?.table === 'string'));
}

function keep(day, fields) {
  const kept = days();
  prefer(`days.${game.key}`, { ...kept, [day]: { ...kept[day], ...fields } });
}

const isDone = (one) => typeof one?.payoff === 'number';

/** Return the number of days in a row up to today, or to yesterday if today's deal is not played. */
function streak(kept) {
  const begin = isDone(kept[date()]) ? 0 : 1;
  let n = 0;
  while (isDone(kept[date(begin + n)])) n += 1;
  return n;
}

/** Return for each level whose payoff is known whether the person's is higher, 1, equal, 0, or lower, -1. */
function compared({ payoff, levels = {} }) {
  return Object.keys(game.levels).filter((name) => name in levels).map((name) => Math.sign(payoff - levels[name]));
}

function beaten(one) {
  return compared(one).filter((sign) => sign > 0).length;
}

function inWords(one) {
  const { length } = compared(one);
  const text = length ? t('day.result', { payoff: signed(one.payoff), n: beaten(one), all: length }) : signed(one.payoff);
  return one.helped ? `${text} · ${t('day.helped')}` : text;
}

/** Return the way to the deal of the day, for the first screen. */
export function dayCard() {
  const kept = days();
  const one = kept[date()];
  const n = streak(kept);
  return h('a', { class: 'day-card panel', href: `?day=${game.key}` }, h('strong', {}, t('day.title')), h('span', {}, written(date())),
    h('span', { class: 'quiet' }, isDone(one) ? inWords(one) : t('day.invitation'), n ? ` · ${t('day.streak', { n })}` : ''));
}

/** Return the link to the comparison at the end of a day's table, and keep its result; null at other tables. */
export function dayLink(view) {
  const found = Object.entries(days()).find(([, one]) => one.table === view.table);
  if (!found) return null;
  settle(...found, view).catch(() => {}); // again on the screen of the day
  return h('div', { class: 'controls' }, h('a', { class: 'button primary', href: `?day=${game.key}` }, t('day.compare')));
}

async function settle(day, one, view) {
  if (isDone(one) || !view.over?.record) return;
  const { help = {} } = await api.record(view.over.record);
  keep(day, { payoff: game.payoff(view.over.payoffs, 0), record: view.over.record, helped: Boolean(help.advice || help.takebacks || view.you === null) });
}

/** Show the deal of the day of a game. */
export async function showDay(root, key) {
  const options = await api.options();
  const own = options.games.find((one) => one.game === key) ?? options.games.find((one) => one.game === game.key);
  await useGame(own.game);
  const day = date();
  await look(day);
  const screen = h('div', { class: 'page day' });
  root.replaceChildren(screen);
  draw(screen, day, own);
  if (isDone(days()[day])) await compare(day, own, () => draw(screen, day, own));
}

/** Keep the result of today's table if it is over by now; forget a table that is gone. */
async function look(day) {
  const one = days()[day];
  if (!one || isDone(one)) return;
  try {
    await settle(day, one, await api.view(one.table));
  } catch (error) {
    if (error.status === 404) keep(day, { table: null });
  }
}

/** Have the levels play the deal, one after the other. */
async function compare(day, own, redraw) {
  for (const [name, agent] of levelsOf(own)) {
    const { levels = {} } = days()[day];
    if (name in levels) continue;
    keep(day, { levels: { ...levels, [name]: (await api.result({ ...dealOf(day), agent })).payoff } });
    redraw();
  }
}

function levelsOf(own) {
  return Object.entries(game.levels).filter(([, agent]) => own.agents.includes(agent));
}

function draw(screen, day, own) {
  const kept = days();
  const one = kept[day];
  const n = streak(kept);
  const { seats } = own.rules.find(({ name }) => name === game.rules);
  const problem = h('p', { class: 'problem', role: 'alert' });
  const begin = (counts) => async () => {
    try {
      const name = preference('name', '') || undefined;
      const { table } = await api.open({ ...dealOf(day), seats: ['me', ...Array(seats - 1).fill(own.advisor)], name });
      if (counts) keep(day, { table });
      location.assign(`?table=${table}`);
    } catch (error) {
      problem.textContent = error.message;
    }
  };
  const played = () => [h('p', { class: 'day-result', role: 'status' }, inWords(one)), standings(one, own),
    h('div', { class: 'controls' }, shareButton(day, one), h('a', { class: 'button', href: `?record=${one.record}` }, t('end.replay')), button(t('day.again'), begin(false))),
    h('p', { class: 'quiet' }, t('day.practice'))];
  const open = () => h('div', { class: 'controls' }, one ? h('a', { class: 'button primary large', href: `?table=${one.table}` }, t('day.continue')) : button(t('day.play'), begin(true), { class: 'primary large' }));
  put(screen, h('h2', {}, `${t('day.title')} · ${written(day)}`), h('p', {}, t('day.note', { rules: rulesName(game.rules) })),
    isDone(one) ? played() : open(), problem, h('h3', {}, n ? t('day.streak', { n }) : t('day.calendar')), calendar(kept));
}

/** Rank the person among the levels. */
function standings(one, own) {
  const { levels = {} } = one;
  const rows = [[t('seat.you'), one.payoff, true], ...levelsOf(own).map(([name]) => [t(`level.${name}`), levels[name]])];
  rows.sort(([, first = -Infinity], [, second = -Infinity]) => second - first);
  return h('table', { class: 'results', 'aria-label': t('day.compare') }, h('tbody', {}, ...rows.map(([name, payoff, isOwn]) => h('tr', { class: isOwn && 'winner' }, h('th', { scope: 'row' }, name), h('td', { class: 'number' }, payoff === undefined ? '…' : signed(payoff))))));
}

/** Return the button that copies the result as a line, which names no card. */
function shareButton(day, one) {
  const squares = compared(one).map((sign) => SQUARES[sign]).join('');
  const address = new URL(`?day=${game.key}`, location.href).href;
  const text = [gameName(game.key), day, `${squares} ${inWords(one)}`, address].join(' · ');
  return copying(t('day.line'), text, t('day.share'), { class: 'primary' });
}

/** Draw the last weeks, a row each, from Monday on. */
function calendar(kept) {
  const last = (new Date().getUTCDay() + 6) % 7; // days since Monday
  const shown = 7 * (WEEKS - 1) + last + 1;
  const cells = Array.from({ length: shown }, (_, i) => date(shown - 1 - i));
  const cell = (day) => {
    const one = kept[day];
    const text = isDone(one) ? `${written(day)}: ${inWords(one)}` : written(day);
    return h('li', { 'data-beaten': isDone(one) ? beaten(one) : null, 'aria-current': day === date() ? 'date' : null, title: text }, h('span', { 'aria-hidden': 'true' }, Number(day.slice(-2))), h('span', { class: 'unseen' }, text));
  };
  return h('ol', { class: 'calendar' }, ...cells.map(cell));
}
