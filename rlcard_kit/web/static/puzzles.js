/** Puzzles: positions with one clearly best move. */

import { valueList } from './advice.js';
import { api } from './api.js';
import { Chooser } from './chooser.js';
import { h, put } from './dom.js';
import { game, useGame } from './game.js';
import { useKeys } from './keys.js';
import { line, announce } from './announcer.js';
import { asView, table } from './position.js';
import { preference, prefer } from './preferences.js';
import { t } from './strings.js';

/** Show a puzzle; without an id, the first one not tried yet. */
export async function showPuzzle(root, id) {
  const known = id && await api.puzzle(id);
  if (known) await useGame(known.game);
  const ids = await list();
  const tried = preference('puzzles', {});
  const puzzle = known || await api.puzzle(ids.find((one) => !(one in tried)) || ids[0]);
  if (!id) history.replaceState(null, '', `?puzzle=${puzzle.id}`);
  draw(root, puzzle, ids);
}

/** Return the ids of the puzzles of the current game. */
async function list() {
  const ids = [];
  let cursor = null;
  do {
    const page = await api.puzzles(game.key, cursor);
    ids.push(...page.puzzles.map((puzzle) => puzzle.id));
    cursor = page.cursor;
  } while (cursor);
  return ids;
}

function draw(root, puzzle, ids) {
  const { position } = puzzle;
  const view = asView(position, position.to_move);
  const place = ids.indexOf(puzzle.id);
  const answer = h('div', { class: 'answer' });
  const solve = async (move) => {
    try {
      const found = await api.solve(puzzle.id, move);
      keep(puzzle.id, found.right);
      const one = found.moves.find((other) => other.move === move || other.alike.includes(move));
      const best = found.moves[0];
      announce(found.right ? t('puzzle.right') : one ? game.verdict(one, best, view, found.deep) : t('puzzle.wrong'));
      put(answer, h('h2', {}, t(found.right ? 'puzzle.right' : 'puzzle.wrong')), ...valueList(found, null, move), links(ids, place));
    } catch (error) {
      announce(error.message);
    }
  };
  const chooser = new Chooser({ onmove: solve, why: async () => t('try.not legal') });
  put(root, h('div', { class: 'study' },
    h('h2', {}, t('puzzle.title', { n: place + 1, all: ids.length })), score(ids), table(view), line, chooser.element, answer));
  useKeys({ Enter: () => chooser.play(), Escape: () => chooser.clear(), c: () => chooser.walk(), p: () => chooser.pass(), '/': () => chooser.entry.begin() });
  chooser.show(view);
  chooser.hand.focus();
  announce(t('puzzle.find'));
}

function links(ids, place) {
  const next = ids[(place + 1) % ids.length];
  return h('div', { class: 'controls' }, h('a', { class: 'button primary', href: `?puzzle=${next}` }, t('puzzle.next')));
}

/** Store whether the first answer was right. */
function keep(id, right) {
  const tried = preference('puzzles', {});
  if (!(id in tried)) prefer('puzzles', { ...tried, [id]: right });
}

function score(ids) {
  const tried = preference('puzzles', {});
  const answers = ids.filter((id) => id in tried);
  const right = answers.filter((id) => tried[id]).length;
  return answers.length ? h('p', { class: 'quiet' }, t('puzzle.score', { right, n: answers.length })) : null;
}
