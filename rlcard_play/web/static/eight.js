/** The same eight deals for several people: their link has the deals, and what was won with them, in its fragment, so that no server sees it. */

import { api } from './api.js';
import { CountedDeal, isDone, levelsOf, standings } from './counted.js';
import { button, h, put } from './dom.js';
import { game, useGame } from './game.js';
import { preference, prefer } from './preferences.js';
import { rulesName } from './rulebook.js';
import { copying, copyLine, nameField } from './seating.js';
import { inFragment, pack } from './share.js';
import { gameName, signed, t } from './strings.js';

const MARK = '#eight=';
const VERSION = 1;
const DEALS = 8;
const MOST = 8; // people of a link
const SEEDS = 1_000_000_000;

/** Show the deals of the link; without one the last ones of this browser, if they are not finished, or new ones. */
export async function showEight(root) {
  addEventListener('hashchange', () => location.reload());
  const { games } = await api.options();
  const problem = h('p', { class: 'problem', role: 'alert' });
  let asked = null;
  try {
    const text = await inFragment(MARK);
    asked = text ? checked(JSON.parse(text), games) : location.hash ? null : unfinished(games);
  } catch {
    problem.textContent = t('eight.broken');
  }
  asked ??= fresh(games);
  const all = games.find((one) => one.game === asked.game);
  const own = { ...all, agents: all.rules.find(({ name }) => name === asked.rules).agents };
  await useGame(asked.game);
  prefer(`eight.last.${game.key}`, asked);
  const deals = dealsOf(asked);
  await Promise.all(deals.map((deal) => deal.look()));
  await draw(root, asked, deals, own, problem);
}

/** Return what a link asks for if it is all there. */
function checked({ eight, game: key, rules, seed, results }, games) {
  const isResult = ({ name, payoffs, helped }) => typeof name === 'string' && name.length <= 40 && typeof helped === 'boolean' && payoffs.length === DEALS && payoffs.every(Number.isSafeInteger);
  const isKnown = games.some((one) => one.game === key && one.rules.some(({ name }) => name === rules));
  if (eight !== VERSION || !isKnown || !Number.isInteger(seed) || seed < 0 || seed >= SEEDS || results.length > MOST || !results.every(isResult)) throw new RangeError('no such deals');
  return { eight, game: key, rules, seed, results };
}

function unfinished(games) {
  const last = preference(`eight.last.${game.key}`, null);
  return last && !dealsOf(checked(last, games)).every(({ one }) => isDone(one)) ? last : null;
}

/** Return new deals of the current game, by the rules of the first screen if they are a preset's. */
function fresh(games) {
  const chosen = preference(`new.${game.key}`, {}).rules;
  const { rules } = games.find((one) => one.game === game.key);
  return { eight: VERSION, game: game.key, rules: rules.some(({ name }) => name === chosen) ? chosen : game.rules, seed: Math.floor(SEEDS * Math.random()), results: [] };
}

function dealsOf({ game: key, rules, seed }) {
  return Array.from({ length: DEALS }, (_, n) => new CountedDeal('eight', `${rules} ${seed}/${n}`, { game: key, rules, deal: `${seed}/${n}` }));
}

async function draw(root, asked, deals, own, problem) {
  const kept = deals.map(({ one }) => one);
  const next = kept.findIndex((one) => !isDone(one));
  const payoffs = kept.map((one) => one?.payoff);
  const mine = () => ({ name: preference('name', ''), payoffs, helped: kept.some((one) => one?.helped) });
  const others = asked.results.filter((one) => JSON.stringify([one.name, one.payoffs]) !== JSON.stringify([mine().name, payoffs]));
  const results = () => (next < 0 ? [mine(), ...others].slice(0, MOST) : others);
  const begin = async () => deals[next].begin(own, { link: await pack({ ...asked, results: results() }) }).catch((error) => { problem.textContent = error.message; });
  const go = () => (kept[next] ? h('a', { class: 'button primary large', href: `?table=${kept[next].table}` }, t('eight.continue', { n: next + 1 })) : button(t('eight.play', { n: next + 1, all: DEALS }), begin, { class: 'primary large' }));
  const [first, last] = [h('div', { class: 'groups' }), h('div', { class: 'groups' })];
  const rank = () => put(first, next < 0 ? ranked(payoffs, others, deals, own) : h('div', { class: 'controls' }, go()));
  const offer = async () => {
    const address = new URL(`?eight${MARK}${await pack({ ...asked, results: results() })}`, location.href).href;
    const line = () => copying(t('day.line'), [gameName(game.key), t('nav.eight'), signed(sum(payoffs)), address].join(' · '), t('day.share'), { class: 'primary' });
    put(last, next < 0 ? [h('div', { class: 'controls' }, line()), h('div', { class: 'controls' }, h('a', { class: 'button', href: '?eight#new' }, t('eight.new')))] : copyLine(t('eight.link'), address));
  };
  const rename = ({ target }) => {
    prefer('name', target.value.trim());
    offer();
  };
  root.replaceChildren(h('div', { class: 'page day' }, h('h2', {}, t('nav.eight')), problem, h('p', {}, t('eight.note', { rules: rulesName(asked.rules) })), first,
    h('div', { class: 'table-wrap' }, table(mine(), others, kept)), h('label', { class: 'field file', onchange: rename }, h('span', {}, t('new.name')), nameField()), last));
  rank();
  await offer();
  if (next < 0) for (const [, agent] of levelsOf(own)) for (const deal of deals) await deal.compare({ ...own, agents: [agent] }, rank);
}

const sum = (payoffs) => payoffs.reduce((total, payoff) => total + payoff, 0);

const nameOf = ({ name }) => name || t('eight.friend');

/** Compare with the others in words, and with the levels. */
function ranked(payoffs, others, deals, own) {
  const total = sum(payoffs);
  const against = (other) => h('p', { class: 'day-result' }, t('eight.against', { name: nameOf(other), difference: signed(total - sum(other.payoffs)), n: payoffs.filter((payoff, i) => payoff > other.payoffs[i]).length, all: DEALS }));
  const won = (name) => deals.map(({ one }) => one.levels?.[name]);
  const level = ([name]) => [t(`level.${name}`), won(name).includes(undefined) ? undefined : sum(won(name))];
  return [...others.map(against), standings(total, [...others.map((one) => [nameOf(one), sum(one.payoffs)]), ...levelsOf(own).map(level)])];
}

/** Draw the results deal by deal: those of others only where the user's own is known. */
function table(mine, others, kept) {
  const people = [{ ...mine, name: t('seat.you') }, ...others];
  const done = kept.flatMap((one, i) => (isDone(one) ? [i] : []));
  const cells = (payoffs, record) => payoffs.map((payoff, i) => h('td', { class: `number${payoff === Math.max(...payoffs) && payoff > Math.min(...payoffs) ? ' higher' : ''}` },
    record && !i ? h('a', { href: `?record=${record}` }, signed(payoff)) : signed(payoff)));
  const row = (one, i) => h('tr', {}, h('th', { scope: 'row' }, t('eight.deal', { n: i + 1 })), isDone(one) ? cells(people.map(({ payoffs }) => payoffs[i]), one.record) : [h('td', { class: 'number' }, '–'), ...others.map(() => h('td', { class: 'number', title: t('eight.hidden') }, '?'))]);
  return h('table', { class: 'results eight' }, h('thead', {}, h('tr', {}, h('td'), ...people.map((one) => h('th', { scope: 'col', class: 'number' }, nameOf(one), one.helped && h('span', { class: 'player' }, t('day.helped')))))),
    h('tbody', {}, ...kept.map(row)), done.length > 0 && h('tfoot', {}, h('tr', { class: 'winner' }, h('th', { scope: 'row' }, t('end.total')), cells(people.map(({ payoffs }) => sum(done.map((i) => payoffs[i])))))));
}
