/** Puzzles: positions with one clearly best move. Mistakes come back after days. */

import { studied } from './advice.js';
import { api, rowsOf } from './api.js';
import { Chooser } from './chooser.js';
import { button, h, put } from './dom.js';
import { game, useGame } from './game.js';
import { useKeys } from './keys.js';
import { line, announce, refused } from './announcer.js';
import { pictureButton } from './picture.js';
import { asView, table } from './position.js';
import { preference, prefer } from './preferences.js';
import { playOn } from './retry.js';
import { OWN, rulesName } from './rulebook.js';
import { rulesLink } from './rules.js';
import { t } from './strings.js';

const DAY = 86_400_000; // milliseconds
const LONGEST = 9; // days: a mistake that is solved after them comes back no more

/** Show a puzzle; without an id, one that comes back, or else the first one not tried yet. */
export async function showPuzzle(root, id) {
  const known = id && await api.puzzle(id);
  if (known) await useGame(known.game);
  const all = await list();
  const ids = passing(all).map((one) => one.id);
  const puzzle = known || await api.puzzle(following(ids, -1));
  if (!id) history.replaceState(null, '', `?puzzle=${puzzle.id}`);
  draw(root, puzzle, ids, all);
}

/** Return the puzzles of the current game by the rules that are chosen on the first screen, or all if there are none. */
async function list() {
  const known = await rowsOf((cursor) => api.puzzles(game.key, cursor), 'puzzles');
  const chosen = known.filter(({ rules }) => rules === chosenRules());
  return chosen.length ? chosen : known;
}

function chosenRules() {
  return preference(`new.${game.key}`, {}).rules ?? game.rules;
}

/** Return the rules of a puzzle, and whether they are not the chosen ones. */
function byRules({ position }, all) {
  const chosen = chosenRules();
  const name = chosen === OWN ? t('new.own rules') : rulesName(chosen);
  return h('p', { class: 'by-rules' }, t('nav.rules'), ': ', rulesLink(position),
    all.some(({ rules }) => rules === chosen) ? null : h('span', { class: 'quiet' }, ' ', t('puzzle.other rules', { rules: name })));
}

/** By what puzzles are chosen: the title, the strings of its values, and those of a puzzle. */
const FILTERS = {
  theme: [() => t('theme.title'), (name) => t(`theme.${name}`), (one) => one.themes],
  difficulty: [() => t('difficulty.title'), (name) => t(`level.${name}`), (one) => [one.difficulty]],
};

/** Return the puzzles that pass the filters, without the one named `but`; a filter that none passes counts as off. */
function passing(all, but) {
  return Object.entries(FILTERS).reduce((rest, [name, [, , valuesOf]]) => {
    const kept = rest.filter((one) => name !== but && valuesOf(one).includes(preference(`${name} of puzzles`, '')));
    return kept.length ? kept : rest;
  }, all);
}

/** Return the list of a filter's values, with the number of puzzles of each. */
function filter(name, all) {
  const [title, wordsOf, valuesOf] = FILTERS[name];
  const rest = passing(all, name);
  const kept = preference(`${name} of puzzles`, '');
  const place = (value) => Object.keys(game.levels).indexOf(value);
  const option = (value) => h('option', { value, selected: value === kept }, `${wordsOf(value)} (${rest.filter((one) => valuesOf(one).includes(value)).length})`);
  const field = h('select', { onchange: () => {
    prefer(`${name} of puzzles`, field.value);
    location.assign('?puzzle');
  } }, h('option', { value: '' }, t('theme.all')), ...[...new Set(rest.flatMap(valuesOf))].sort((one, other) => place(one) - place(other)).map(option));
  return h('label', { class: 'check' }, title(), ' ', field);
}

function draw(root, puzzle, ids, all) {
  const { position } = puzzle;
  const view = asView(position, position.to_move);
  const place = ids.indexOf(puzzle.id);
  const answer = h('div', { class: 'answer' });
  const solve = async (move) => {
    try {
      const found = await api.solve(puzzle.id, move);
      keep(puzzle.id, found.right);
      const look = (onprogress) => api.analyse({ record: found.record, deep: true, move }, onprogress);
      const tell = (one, best) => announce(found.right ? t('puzzle.right') : one ? game.verdict(one, best, view) : t('puzzle.wrong'));
      put(answer, h('h2', {}, t(found.right ? 'puzzle.right' : 'puzzle.wrong')), studied(found, move, look, tell), links(ids, place, found, view.to_move, move));
    } catch (error) {
      announce(error.message);
    }
  };
  const chooser = new Chooser({ onmove: solve, why: refused });
  put(root, h('div', { class: 'study' },
    h('h2', {}, place < 0 ? t('nav.puzzles') : t('puzzle.title', { n: place + 1, all: ids.length })), byRules(puzzle, all), h('div', { class: 'choices' }, filter('theme', all), filter('difficulty', all)), score(ids), table(view), line, chooser.element, answer, h('div', { class: 'controls' }, pictureButton(() => view))));
  useKeys(chooser.keys);
  chooser.show(view);
  chooser.hand.focus();
  announce(t('puzzle.find'));
}

function links(ids, place, { record, best }, seat, move) {
  const goOn = (chosen, watches) => async () => playOn(record, await api.options(), null, seat, chosen, watches);
  return h('div', { class: 'controls' }, h('a', { class: 'button primary', href: `?puzzle=${following(ids, place)}` }, t('puzzle.next')), button(t('try.continue'), goOn(move)), button(t('puzzle.line'), goOn(best, true), { title: t('puzzle.line title') }));
}

/** Return the id of the puzzle after one: a mistake that comes back, the next one not tried yet, or just the next. */
function following(ids, place) {
  const others = [...ids.slice(place + 1), ...ids.slice(0, Math.max(place, 0))];
  const tried = preference('puzzles', {});
  return others.find((id) => isDue(tried[id])) ?? others.find((id) => !(id in tried)) ?? others[0] ?? ids[0];
}

/** Return whether a mistake comes back, given the answer: whether the `first` one was right, and when it is `due`, after so many `days`. */
function isDue(answer) {
  return answer !== undefined && answer.due !== null && answer.due <= Date.now();
}

/** Store an answer: a wrong one comes back the next day, and once solved after three times as many days as before. */
function keep(id, right) {
  const tried = preference('puzzles', {});
  const before = tried[id];
  if (before && !isDue(before)) return;
  const days = right ? 3 * (before?.days || 1) : 1;
  const isDone = right && (!before || days > LONGEST);
  prefer('puzzles', { ...tried, [id]: { first: before ? before.first : right, due: isDone ? null : Date.now() + days * DAY, days } });
}

function score(ids) {
  const tried = preference('puzzles', {});
  const own = ids.filter((id) => id in tried);
  const due = own.filter((id) => isDue(tried[id])).length;
  const texts = [own.length && t('puzzle.score', { right: own.filter((id) => tried[id].first).length, n: own.length }), due && t('puzzle.due', { n: due })];
  return own.length ? h('p', { class: 'quiet' }, texts.filter(Boolean).join(' · ')) : null;
}
