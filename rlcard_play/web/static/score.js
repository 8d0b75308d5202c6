/** Scores against the agent on the same deals. */

import { api } from './api.js';
import { h, panel, svg } from './dom.js';
import { game } from './game.js';
import { rulesName } from './rulebook.js';
import { agentName, signed, t } from './strings.js';

const WIDTH = 360;
const HEIGHT = 130;
const MARGIN = 36;

/** Return the panel of the conditions with most games; null before the first game. */
export async function scorePanel() {
  const groups = await scores();
  if (!groups.length) return null;
  const most = groups.reduce((one, other) => (other.games > one.games ? other : one));
  return panel(t('score.title'), { open: false }, h('p', {}, t('score.games', { n: most.games, won: most.won })),
    h('dl', { class: 'figures' }, ...figures(most)), h('p', {}, h('a', { href: '?progress' }, t('nav.progress'))));
}

/** Draw the scores under all conditions. */
export async function scoreGroups() {
  const groups = await scores();
  return [groups.length ? h('div', { class: 'groups' }, ...groups.map(group)) : h('p', { class: 'quiet' }, t('score.none')), h('p', { class: 'quiet' }, t('score.note'))];
}

/** Return the scores in the current game. */
async function scores() {
  return (await api.score()).groups.filter((one) => one.game === game.key);
}

function group(one) {
  const opponents = one.opponents.map((name) => agentName(name));
  const names = Object.fromEntries(opponents.map((name, i) => [game.places[i + 1], name]));
  return h('section', { class: 'panel' }, h('h3', {}, rulesName(one.rules), ' ', h('span', { class: 'tag' }, t(one.aided ? 'score.aided' : 'score.unaided'))),
    h('p', { class: 'quiet' }, t('score.against', { names: opponents.join(', '), ...names })),
    h('p', {}, t('score.games', { n: one.games, won: one.won })),
    h('dl', { class: 'figures' }, ...figures(one)), one.games > 1 && curve(one.curve));
}

/** Draw the sums of the user's and of the agent's payoffs, game by game. */
function curve(points) {
  const sums = points.flatMap(([, mine, theirs]) => [mine, theirs]);
  const [low, high] = [Math.min(0, ...sums), Math.max(0, ...sums)];
  const last = points[points.length - 1][0];
  const x = (games) => MARGIN + (WIDTH - 2 * MARGIN) * games / last;
  const y = (sum) => MARGIN / 3 + (HEIGHT - MARGIN) * (high - sum) / Math.max(high - low, 1);
  const line = (column, kind) => svg('polyline', { class: `curve ${kind}`, points: [`${x(0)},${y(0)}`, ...points.map((one) => `${x(one[0]).toFixed(1)},${y(one[column]).toFixed(1)}`)].join(' ') });
  const level = (sum) => [svg('line', { class: 'grid', x1: MARGIN, x2: WIDTH - MARGIN, y1: y(sum), y2: y(sum) }),
    svg('text', { class: 'axis', x: MARGIN - 4, y: y(sum) + 4, 'text-anchor': 'end' }, signed(sum))];
  const key = (kind, text) => h('span', { class: 'key-line' }, svg('svg', { viewBox: '0 0 24 8', 'aria-hidden': 'true' }, svg('line', { class: kind, x1: 0, x2: 24, y1: 4, y2: 4 })), text);
  const [, mine, theirs] = points[points.length - 1];
  return h('figure', {}, svg('svg', { class: 'graph', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': t('score.curve label', { n: last, mine: signed(mine), theirs: signed(theirs) }) },
    ...[...new Set([low, 0, high])].flatMap(level), svg('text', { class: 'axis', x: WIDTH - MARGIN, y: HEIGHT - 2, 'text-anchor': 'end' }, t('score.after', { n: last })), line(1, 'seat-0'), line(2, 'seat-1')),
  h('figcaption', {}, t('score.curve'), key('seat-0', t('seat.you')), key('seat-1', t('score.agent'))));
}

function figures(one) {
  const rows = [['score.payoff', one.payoff], ['score.agent', one.agent], ['score.difference', one.difference], ['score.less luck', one.less_luck], ['score.given away', one.given_away]];
  return rows.filter(([, figure]) => figure).map(([key, figure]) =>
    h('div', {}, h('dt', {}, t(key)), h('dd', {}, estimate(figure, key === 'score.given away'))));
}

function estimate({ mean, margin }, isPlain) {
  const figure = isPlain ? mean.toFixed(2) : signed(mean, 2);
  return margin === null ? figure : `${figure} ± ${margin.toFixed(2)}`;
}
