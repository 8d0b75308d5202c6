/** The deal of the day: its seed is the date in UTC, so that everybody gets the same cards. It counts once. */

import { api } from './api.js';
import { CountedDeal, isDone, kept, levelsOf, standings } from './counted.js';
import { button, h, put } from './dom.js';
import { game, useGame } from './game.js';
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

function written(day, dateStyle = 'long') {
  return new Date(`${day}T00:00Z`).toLocaleDateString(document.documentElement.lang, { dateStyle, timeZone: 'UTC' });
}

/** Return the deal of a day. */
function countedOf(day) {
  return new CountedDeal('days', day, { game: game.key, rules: game.rules, deal: `${Number(day.replace(/\D/g, ''))}/0` });
}

/** Return the number of days in a row up to today, or to yesterday if today's deal is not played. */
function streak(all) {
  const begin = isDone(all[date()]) ? 0 : 1;
  let n = 0;
  while (isDone(all[date(begin + n)])) n += 1;
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
  const all = kept('days');
  const one = all[date()];
  const n = streak(all);
  return h('a', { class: 'day-card panel', href: `?day=${game.key}` }, h('strong', {}, t('day.title')), h('span', {}, written(date())),
    h('span', { class: 'quiet' }, isDone(one) ? inWords(one) : t('day.invitation'), n ? ` · ${t('day.streak', { n })}` : ''));
}

/** Show the deal of the day of a game. */
export async function showDay(root, key) {
  const options = await api.options();
  const own = options.games.find((one) => one.game === key) ?? options.games.find((one) => one.game === game.key);
  await useGame(own.game);
  const day = date();
  const deal = countedOf(day);
  await deal.look();
  const screen = h('div', { class: 'page day' });
  root.replaceChildren(screen);
  const redraw = () => draw(screen, deal, own);
  redraw();
  if (isDone(deal.one)) await deal.compare(own, redraw);
}

function draw(screen, deal, own) {
  const { one, key: day } = deal;
  const n = streak(kept('days'));
  const problem = h('p', { class: 'problem', role: 'alert' });
  const begin = (fields) => () => deal.begin(own, fields).catch((error) => { problem.textContent = error.message; });
  const played = () => [h('p', { class: 'day-result', role: 'status' }, inWords(one)), standings(one.payoff, levelsOf(own).map(([name]) => [t(`level.${name}`), one.levels?.[name]])),
    h('div', { class: 'controls' }, shareButton(day, one), h('a', { class: 'button', href: `?record=${one.record}` }, t('end.replay')), button(t('day.again'), begin())),
    h('p', { class: 'quiet' }, t('day.practice'))];
  const open = () => h('div', { class: 'controls' }, one ? h('a', { class: 'button primary large', href: `?table=${one.table}` }, t('day.continue')) : button(t('day.play'), begin({}), { class: 'primary large' }));
  put(screen, h('h2', {}, `${t('day.title')} · ${written(day)}`), h('p', {}, t('day.note', { rules: rulesName(game.rules) })),
    isDone(one) ? played() : open(), problem, h('h3', {}, n ? t('day.streak', { n }) : t('day.calendar')), calendar());
}

/** Return the button that copies the result as a line, which names no card. */
function shareButton(day, one) {
  const squares = compared(one).map((sign) => SQUARES[sign]).join('');
  const address = new URL(`?day=${game.key}`, location.href).href;
  const text = [gameName(game.key), day, `${squares} ${inWords(one)}`, address].join(' · ');
  return copying(t('day.line'), text, t('day.share'), { class: 'primary' });
}

/** Draw the last weeks, a row each, from Monday on. */
function calendar() {
  const all = kept('days');
  const last = (new Date().getUTCDay() + 6) % 7; // days since Monday
  const shown = 7 * (WEEKS - 1) + last + 1;
  const cells = Array.from({ length: shown }, (_, i) => date(shown - 1 - i));
  const cell = (day) => {
    const one = all[day];
    const text = isDone(one) ? `${written(day)}: ${inWords(one)}` : written(day);
    return h('li', { 'data-beaten': isDone(one) ? beaten(one) : null, 'aria-current': day === date() ? 'date' : null, title: text }, h('span', { 'aria-hidden': 'true' }, Number(day.slice(-2))), h('span', { class: 'unseen' }, text));
  };
  return h('ol', { class: 'calendar' }, ...cells.map(cell));
}
