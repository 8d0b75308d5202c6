/** List of finished games, newest first. */

import { api } from './api.js';
import { button, h } from './dom.js';
import { gameName, language, rulesName, signed, t } from './strings.js';

/** Show the list of games. */
export async function showGames(root) {
  const body = h('tbody');
  const more = button(t('games.more'), () => load());
  const none = h('p', { class: 'quiet', hidden: true }, t('games.none'));
  let cursor = null;
  const load = async () => {
    const page = await api.records(cursor);
    body.append(...page.records.map(row));
    cursor = page.cursor;
    more.hidden = cursor === null;
    none.hidden = body.children.length > 0;
  };
  const heads = ['when', 'rules', 'seats', 'payoff'].map((key) => h('th', { scope: 'col' }, t(`games.${key}`)));
  await load();
  root.replaceChildren(h('div', { class: 'page' }, h('h2', {}, t('nav.games')),
    h('div', { class: 'table-wrap' }, body.children.length ? h('table', { class: 'games' }, h('thead', {}, h('tr', {}, ...heads)), body) : null), none, more));
}

function row(record) {
  const me = record.people[0] ?? 0;
  return h('tr', {}, h('td', {}, h('a', { href: `?record=${record.id}` }, when(record.started))), h('td', {}, gameName(record.game), h('span', { class: 'quiet' }, ` · ${title(record)}`)),
    h('td', {}, record.seats.join(', ')), h('td', { class: 'number' }, record.payoffs ? signed(record.payoffs[me]) : ''));
}

function when(started) {
  return new Date(started).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
}

function title({ rules, game }) {
  return typeof rules === 'string' ? rulesName(rules, game) : t('new.own rules');
}
