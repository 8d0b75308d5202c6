/** Scores against the agent on the same deals. */

import { api } from './api.js';
import { h, panel } from './dom.js';
import { game } from './game.js';
import { signed, t } from './strings.js';

/** Return the panel of the conditions with most games; null before the first game. */
export async function scorePanel() {
  const { groups, agent } = await scores();
  if (!groups.length) return null;
  const most = groups.reduce((one, other) => (other.games > one.games ? other : one));
  return panel(t('score.title'), { open: false }, h('p', {}, t('score.games', { n: most.games, won: most.won })),
    h('dl', { class: 'figures' }, ...figures(most, agent)), h('p', {}, h('a', { href: '?score' }, t('score.all'))));
}

/** Show the scores under all conditions. */
export async function showScore(root) {
  const { groups, agent } = await scores();
  root.replaceChildren(h('div', { class: 'page' }, h('h2', {}, t('score.title')),
    groups.length ? h('div', { class: 'groups' }, ...groups.map((one) => group(one, agent))) : h('p', { class: 'quiet' }, t('score.none')),
    h('p', { class: 'quiet' }, t('score.note', { agent }))));
}

/** Return the scores in the current game, and the agent that they are compared with. */
async function scores() {
  const { groups, agents } = await api.score();
  return { groups: groups.filter((one) => one.game === game.key), agent: agents[game.key] };
}

function group(one, agent) {
  const names = Object.fromEntries(one.opponents.map((name, i) => [game.places[i + 1], name]));
  return h('section', { class: 'panel' }, h('h3', {}, one.rules, ' ', h('span', { class: 'tag' }, t(one.aided ? 'score.aided' : 'score.unaided'))),
    h('p', { class: 'quiet' }, t('score.against', { names: one.opponents.join(', '), ...names })),
    h('p', {}, t('score.games', { n: one.games, won: one.won })),
    h('dl', { class: 'figures' }, ...figures(one, agent)));
}

function figures(one, agent) {
  const rows = [['score.payoff', one.payoff], ['score.agent', one.agent], ['score.difference', one.difference], ['score.given away', one.given_away]];
  return rows.filter(([, figure]) => figure).map(([key, figure]) =>
    h('div', {}, h('dt', {}, t(key, { agent })), h('dd', {}, estimate(figure, key === 'score.given away'))));
}

function estimate({ mean, margin }, isPlain) {
  const figure = isPlain ? mean.toFixed(2) : signed(mean, 2);
  return margin === null ? figure : `${figure} ± ${margin.toFixed(2)}`;
}
