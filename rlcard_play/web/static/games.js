/** List of finished games, newest first. */

import { api } from './api.js';
import { button, h } from './dom.js';
import { gameName, language, rulesName, signed, t } from './strings.js';

/** Show the list of games. */
export async function showGames(root) {
  const body = h('tbody');
  const more = button(t('games.more'), () => load());
  const exported = button(t('games.export'), () => exportAll());
  const none = h('p', { class: 'quiet', hidden: true }, t('games.none'));
  let cursor = null;
  const load = async () => {
    const page = await api.records(cursor);
    body.append(...page.records.map(row));
    cursor = page.cursor;
    more.hidden = cursor === null;
    none.hidden = body.children.length > 0;
    exported.hidden = !none.hidden;
  };
  const heads = ['when', 'rules', 'seats', 'payoff'].map((key) => h('th', { scope: 'col' }, t(`games.${key}`)));
  await load();
  root.replaceChildren(h('div', { class: 'page' }, h('h2', {}, t('nav.games')),
    h('div', { class: 'table-wrap' }, body.children.length ? h('table', { class: 'games' }, h('thead', {}, h('tr', {}, ...heads)), body) : null), none, h('div', { class: 'controls' }, more, exported)));
}

/** Save the records of all games as files, one for each kind of game, the oldest first. */
async function exportAll() {
  const ids = [];
  let cursor = null;
  do {
    const page = await api.records(cursor);
    ids.push(...page.records);
    cursor = page.cursor;
  } while (cursor);
  for (const key of new Set(ids.map(({ game }) => game))) {
    const lines = [];
    for (const { id } of ids.filter(({ game }) => game === key).reverse()) lines.push(`${JSON.stringify(await api.record(id))}\n`);
    const address = URL.createObjectURL(new Blob(lines, { type: 'application/jsonl' }));
    h('a', { href: address, download: `games.${key}.jsonl` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }
}

function row(record) {
  const me = record.you ?? 0;
  return h('tr', {}, h('td', {}, h('a', { href: `?record=${record.id}` }, when(record.started))), h('td', {}, gameName(record.game), h('span', { class: 'quiet' }, ` · ${title(record)}`)),
    h('td', {}, record.seats.join(', ')), h('td', { class: 'number' }, record.payoffs ? signed(record.payoffs[me]) : ''));
}

function when(started) {
  return new Date(started).toLocaleString(language, { dateStyle: 'medium', timeStyle: 'short' });
}

function title({ rules, game }) {
  return typeof rules === 'string' ? rulesName(rules, game) : t('new.own rules');
}
