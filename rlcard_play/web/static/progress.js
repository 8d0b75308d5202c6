/** My progress: one's level, mistakes by theme and habits, from the games of this browser; each is looked at once. */

import { deepened } from './advice.js';
import { api, rowsOf } from './api.js';
import { button, h, put, svg } from './dom.js';
import { game, loadModule } from './game.js';
import { isStored, preference, prefer } from './preferences.js';
import { scoreGroups } from './score.js';
import { known, percent, t } from './strings.js';

const FEWEST = 10; // games for a level
const RECENT = 20; // games of a point of the curve
const BEYOND = 0.5; // steps that the scale goes on below the first level and above the last
const [WIDTH, HEIGHT, LEFT, RIGHT] = [360, 170, 62, 10];
const UNREADABLE = [404, 422]; // statuses of games that this version cannot read
const Z = 1.96; // standard errors of a 95 % interval

let measures = {}; // of the current game: what is counted, and what the levels have of it

const storage = () => `progress.${game.key}`;
const isShare = (one) => Array.isArray(one) && one.length === 2 && one.every(Number.isInteger);
const isThemes = (one) => Array.isArray(one) && one.every((theme) => known(`theme.${theme}`));
const isJudged = (one) => Number.isInteger(one?.marks) && Array.isArray(one.mistakes) && one.mistakes.every(isThemes) && Object(one.habits) === one.habits && Object.values(one.habits).every(isShare);
const isRow = (one) => typeof one?.at === 'string' && (one.out === true || isJudged(one));

/** Return what is kept: the time `since` which games count, and `games` by id; `isBroken` if a part of it cannot be read. */
function kept() {
  const { since = 0, games } = preference(storage(), {});
  const rows = Object.entries(Object(games));
  const good = rows.filter(([, one]) => isRow(one));
  const isBroken = isStored(storage()) && (typeof games !== 'object' || typeof since !== 'number' || good.length < rows.length);
  return { since: Number(since) || 0, games: Object.fromEntries(good), isBroken };
}

/** Show one's progress in the current game, and look at the games that are new. */
export async function showProgress(root) {
  measures = await loadModule(`./${game.key}/progress.js`);
  const screen = h('div', { class: 'page my-progress' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const [working, figures, results, foot] = Array.from({ length: 4 }, () => h('div', { class: 'groups' }));
  let { since, games } = kept();
  let run = 0; // number of the search for new games, which another one ends
  const show = () => put(figures, ...drawn(Object.values(games)));
  const begin = async (from, told = '') => {
    [since, games] = [from, {}];
    problem.textContent = told;
    prefer(storage(), { since, games });
    await look(run += 1);
  };
  const look = async (own) => {
    const again = since ? button(t('progress.all'), () => begin(0)) : button(t('progress.restart'), () => begin(Date.now()));
    put(foot, h('p', { class: 'quiet' }, t(since ? 'progress.restarted' : 'progress.restart note')), h('div', { class: 'controls' }, again));
    show();
    try {
      const fresh = (await finished()).filter((one) => !Object.hasOwn(games, one.id) && !(Date.parse(one.started) <= since));
      const bar = h('progress', { max: fresh.length, value: 0 });
      if (fresh.length) put(working, h('label', { class: 'checking quiet' }, t('progress.looking', { n: fresh.length }), bar));
      for (const [i, one] of fresh.entries()) {
        const row = await judged(one).catch((error) => (UNREADABLE.includes(error.status) ? { at: one.started, out: true } : Promise.reject(error)));
        if (own !== run || !screen.isConnected) return;
        games[one.id] = row;
        prefer(storage(), { since, games });
        bar.value = i + 1;
        if (!figures.contains(document.activeElement)) show();
      }
    } catch (error) {
      if (own === run) problem.textContent = error.message;
    }
    if (own !== run) return;
    put(working);
    show();
  };
  root.replaceChildren(screen);
  put(screen, h('h2', {}, t('nav.progress')), problem, working, figures, results, foot);
  scoreGroups().then((groups) => put(results, h('h2', {}, t('progress.results')), groups), (error) => put(results, h('p', { class: 'problem' }, error.message)));
  await (kept().isBroken ? begin(since, t('progress.unreadable')) : look(run));
}

/** Return the person's finished games of the current kind, the newest first. */
async function finished() {
  return (await rowsOf(api.records, 'records')).filter((one) => one.game === game.key && one.you !== null && one.payoffs);
}

/** Return what one did in a game: the number of moves that the network marks, the themes of those that a deep analysis confirms, and habits. */
async function judged({ id, started, you }) {
  const record = await api.record(id);
  const { help = {}, first_time: isFirst = true } = record;
  if (help.advice || help.takebacks || help.seats || !isFirst || !measures.isMeasured(record)) return { at: started, out: true };
  const { choices, position } = await api.analyse({ record });
  const own = choices.filter(({ seat }) => seat === you);
  const marked = own.filter(({ mark }) => mark);
  const mistakes = [];
  for (const { ply, move } of marked) {
    const found = await api.analyse({ record, ply, seat: you, deep: true, move });
    const { moves } = deepened(found);
    const made = moves.find((one) => one.move === move || one.alike.includes(move));
    if (found.deep.moves[0].mark === undefined ? made.grade === 'worse' : made.mark) mistakes.push(measures.themes(found.position, moves[0], made));
  }
  const habits = {};
  for (const [name, isSo] of own.map((one) => measures.habit(one, position)).filter(Boolean)) {
    const [shown, all] = habits[name] ?? [0, 0];
    habits[name] = [shown + isSo, all + 1];
  }
  return { at: started, marks: marked.length, mistakes, habits };
}

/** Return the mean of numbers and half the width of its 95 % interval by Student's t; three events bound a rate of which none was seen. */
export function estimated(values) {
  const free = values.length - 1;
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  const error = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / free / values.length);
  return { mean, margin: error ? error * (Z + 2.372 / free + 2.823 / free ** 2) : 3 / values.length };
}

/** Return the place of a number of marked moves on the scale of the levels, on which the first is 1. */
function placeOf(marks) {
  const levels = measures.levels.marks;
  const below = levels.findIndex((one) => one <= marks);
  const i = Math.max(1, below < 0 ? levels.length - 1 : below);
  const place = i + (levels[i - 1] - marks) / (levels[i - 1] - levels[i]);
  return Math.min(Math.max(place, 1 - BEYOND), levels.length + BEYOND);
}

const nameOf = (i) => t(`level.${Object.keys(game.levels)[i]}`);

/** Draw everything that is known of the games. */
function drawn(rows) {
  const counted = rows.filter((one) => !one.out).sort((a, b) => (a.at < b.at ? -1 : 1));
  const out = rows.length - counted.length;
  const told = counted.length < FEWEST ? [h('p', {}, t('progress.few', { n: FEWEST }))] : level(counted.map((one) => one.marks));
  const games = h('p', { class: 'quiet' }, t('progress.games', { n: counted.length }), out ? ` ${t('progress.out', { n: out })}` : '');
  return [h('section', { class: 'panel level' }, h('h3', {}, t('progress.level')), ...told, games), counted.length ? h('div', { class: 'progress-parts' }, themes(counted), habits(counted)) : null];
}

/** Tell the level, and draw it game by game. */
function level(marks) {
  const { mean, margin } = estimated(marks);
  const [low, place, high] = [mean + margin, mean, mean - margin].map(placeOf);
  const [above, below] = [Math.floor(place), Math.ceil(place)].map((n) => n - 1);
  const last = measures.levels.marks.length;
  const written = (one) => (one <= 1 - BEYOND ? '< 1' : one >= last + BEYOND ? `> ${last}` : one.toFixed(1));
  const words = place < 1 ? t('progress.below', { level: nameOf(0) }) : place >= last ? t('progress.above', { level: nameOf(last - 1) })
    : above === below ? nameOf(above) : t('progress.between', { low: nameOf(above), high: nameOf(below) });
  return [h('p', { class: 'rating' }, h('strong', {}, words), ' ', h('span', { class: 'quiet' }, t('progress.place', { place: written(place), low: written(low), high: written(high), first: nameOf(0), last: nameOf(last - 1), n: last }))),
    h('p', {}, t('progress.marks', { marks: `${mean.toFixed(2)} ± ${margin.toFixed(2)}` })), curve(marks, low, high, words), h('p', { class: 'quiet' }, t('progress.how', { last: nameOf(last - 1) }))];
}

/** Draw the mean of the last games after each one, among the levels, with the interval of all games. */
function curve(marks, low, high, words) {
  const last = measures.levels.marks.length;
  const x = (n) => LEFT + (WIDTH - LEFT - RIGHT) * (n - FEWEST) / Math.max(marks.length - FEWEST, 1);
  const y = (place) => (HEIGHT - 16) * (last + BEYOND - place) / (last + 2 * BEYOND - 1) + 2;
  const points = marks.slice(FEWEST - 1).map((_, i) => {
    const recent = marks.slice(Math.max(0, i + FEWEST - RECENT), i + FEWEST);
    return [x(i + FEWEST), y(placeOf(estimated(recent).mean))].map((one) => one.toFixed(1));
  });
  const [endX, endY] = points.at(-1);
  return h('figure', {}, svg('svg', { class: 'graph', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': t('progress.curve label', { level: words, n: marks.length }) },
    svg('rect', { class: 'band', x: LEFT, width: WIDTH - LEFT - RIGHT, y: y(high), height: y(low) - y(high) }),
    ...measures.levels.marks.flatMap((_, i) => [svg('line', { class: 'grid', x1: LEFT, x2: WIDTH - RIGHT, y1: y(i + 1), y2: y(i + 1) }), svg('text', { class: 'axis', x: LEFT - 6, y: y(i + 1) + 4, 'text-anchor': 'end' }, nameOf(i))]),
    svg('text', { class: 'axis', x: WIDTH - RIGHT, y: HEIGHT - 2, 'text-anchor': 'end' }, t('score.after', { n: marks.length })),
    svg('polyline', { class: 'curve seat-0', points: points.join(' ') }), svg('circle', { class: 'curve seat-0', cx: endX, cy: endY, r: 2.5 })),
  h('figcaption', {}, t('progress.curve', { n: RECENT })));
}

/** List the themes of the mistakes, the most frequent first, each with the way to its puzzles. */
function themes(rows) {
  const mistakes = rows.flatMap((one) => one.mistakes);
  const counts = new Map();
  for (const theme of mistakes.flat()) counts.set(theme, (counts.get(theme) ?? 0) + 1);
  const practise = (theme) => () => {
    prefer('theme of puzzles', theme);
    location.assign('?puzzle');
  };
  const row = ([theme, n]) => h('li', {}, h('span', {}, t(`theme.${theme}`)), h('meter', { max: mistakes.length, value: n, 'aria-hidden': 'true' }), h('strong', { class: 'number' }, n),
    button(t('progress.practise'), practise(theme), { class: 'small', 'aria-label': `${t('progress.practise')}: ${t(`theme.${theme}`)}` }));
  const all = rows.reduce((sum, one) => sum + one.marks, 0);
  return h('section', { class: 'panel' }, h('h3', {}, t('progress.themes')), h('p', { class: 'quiet' }, t('progress.confirmed', { n: mistakes.length, all })),
    h('ol', { class: 'by-theme' }, ...[...counts].sort((a, b) => b[1] - a[1]).map(row)));
}

/** Compare habits with those of the levels; without a word where the interval leaves it open. */
function habits(rows) {
  const row = ([name, levels]) => {
    const [shown, all] = [0, 1].map((i) => rows.reduce((sum, one) => sum + (one.habits[name]?.[i] ?? 0), 0));
    if (!all) return null;
    const margin = Z * Math.sqrt((shown + 2) * (all - shown + 2) / (all + 4) ** 3); // of Agresti and Coull
    const [low, high] = [-1, 1].map((side) => Math.min(Math.max((shown + 2) / (all + 4) + side * margin, 0), 1));
    const word = low > Math.max(...levels) ? 'more' : high < Math.min(...levels) ? 'less' : null;
    return h('li', {}, h('span', {}, t(`habit.${name}`), ' ', word && h('span', { class: 'tag' }, t(`progress.${word}`))), h('strong', { class: 'number' }, `${percent(shown / all)} (${Math.round(100 * low)}–${percent(high)})`),
      h('span', { class: 'quiet' }, levels.map((one, i) => `${nameOf(i)} ${percent(one)}`).join(' · ')));
  };
  return h('section', { class: 'panel' }, h('h3', {}, t('progress.habits')), h('ul', { class: 'habits' }, ...Object.entries(measures.levels.habits).map(row)));
}
