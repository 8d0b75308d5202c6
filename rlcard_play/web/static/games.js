/** List of finished games, newest first. */

import { api, rowsOf } from './api.js';
import { button, h } from './dom.js';
import { rulesName } from './rulebook.js';
import { agentName, gameName, signed, t } from './strings.js';

const AT_ONCE = 50; // games of a request

/** Show the list of games. */
export async function showGames(root) {
  const body = h('tbody');
  const more = button(t('games.more'), () => load());
  const exported = button(t('games.export'), () => exportAll());
  const file = h('input', { type: 'file', accept: '.jsonl,.json', multiple: true, onchange: async () => {
    const told = await imported([...file.files]).catch((error) => [error.message]);
    await showGames(root);
    root.querySelector('.imported').append(...told.map((text) => h('p', {}, text)));
  } });
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
    h('div', { class: 'table-wrap' }, body.children.length ? h('table', { class: 'games' }, h('thead', {}, h('tr', {}, ...heads)), body) : null), none, h('div', { class: 'controls' }, more, exported, h('label', { class: 'field file' }, h('span', {}, t('games.import')), file)), h('div', { class: 'imported', role: 'status' })));
}

/** Keep the games of files, in parts that a server takes; return what happened, in sentences. */
async function imported(files) {
  const told = [];
  const counts = { added: 0, known: 0 };
  for (const file of files) {
    const lines = (await file.text()).split('\n').filter((line) => line.trim());
    for (let from = 0; from < lines.length; from += AT_ONCE) {
      const found = await api.keep(lines.slice(from, from + AT_ONCE).join('\n'));
      for (const key of Object.keys(counts)) counts[key] += found[key];
      told.push(...found.refused.map(({ line, error }) => t('games.refused', { file: file.name, line: from + line, error })));
    }
  }
  return [t('games.added', { n: counts.added }), ...(counts.known ? [t('games.known', { n: counts.known })] : []), ...told];
}

/** Save the records of all games as files, one for each kind of game, the oldest first. */
async function exportAll() {
  const ids = await rowsOf(api.records, 'records');
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
  return h('tr', {}, h('td', {}, h('a', { href: `?record=${record.id}` }, when(record.started))), h('td', {}, gameName(record.game), h('span', { class: 'quiet' }, ` · ${rulesName(record.rules, record.game)}`)),
    h('td', {}, players(record)), h('td', { class: 'number' }, record.payoffs ? signed(record.payoffs[me]) : ''));
}

function when(started) {
  return new Date(started).toLocaleString(document.documentElement.lang, { dateStyle: 'medium', timeStyle: 'short' });
}

/** Name the players of a record: the user, agents by their seats and levels, and other people. */
function players({ seats, people, you, game }) {
  const name = (one, seat) => (people.includes(seat) || !one ? one : `${t(`agent.${seat}`)} · ${agentName(one, game)}`);
  return seats.map((one, seat) => (seat === you ? t('seat.you') : name(one, seat))).join(', ');
}
