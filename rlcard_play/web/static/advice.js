/** List of moves with their values, for the seat to move. */

import { announce } from './announcer.js';
import { miniMove, spokenCards } from './cards.js';
import { button, h, put } from './dom.js';
import { game } from './game.js';
import { interval, percent, t } from './strings.js';

const LINES = 5;

/**
 * Return advice in which a deep analysis, if it has one, replaces the first estimates: the moves that it looked at, in its
 * order, with its figures, grades and marks.
 */
export function deepened(advice) {
  const { deep } = advice;
  if (!deep) return advice;
  const place = (one) => deep.moves.findIndex(({ move }) => move === one.move || one.alike.includes(move));
  const [best] = deep.moves;
  const replaced = (one, i) => {
    const { move, ...found } = { behind: best.mean - deep.moves[place(one)].mean, mark: '', ...deep.moves[place(one)] };
    const figures = { ...one, ...found, lost: best.win - found.win };
    if (one.grade === 'certain') return { ...figures, win: 1 };
    return { ...figures, grade: i ? isClose(found) ? 'good' : 'worse' : 'best' };
  };
  const moves = advice.moves.filter((one) => place(one) >= 0).sort((a, b) => place(a) - place(b)).map(replaced);
  return { ...advice, moves, others: advice.moves.length - moves.length };
}

/** Return whether a move that was looked at may be as good as the best one. */
function isClose({ behind, behind_margin: margin = 0 }) {
  return !(behind > margin);
}

/**
 * Draw the best moves with their values.
 *
 * @param advice from the server: `moves`, best first, and optionally `deep`; see `deepened`
 * @param onpick called with a move's text and number when its line is pressed; null makes no buttons
 * @param played the move made in the game, or else the one that is `weighed` is always listed, and compared with the best
 */
export function valueList(advice, onpick = null, played = null) {
  const listed = played ?? advice.weighed;
  const found = advice.moves.find((one) => one.move === listed || one.alike.includes(listed));
  const shown = advice.moves.filter((one, i) => i < LINES || one === found);
  const rest = (advice.others ?? 0) + advice.moves.length - shown.length;
  const lines = shown.map((one) => line(one, advice.moves.indexOf(one), onpick, played !== null && one === found));
  return [
    h('ol', { class: `values${advice.deep ? ' deep' : ''}` }, ...lines),
    rest > 0 && h('p', { class: 'quiet' }, t('advice.rest', { n: rest })),
    advice.deep && why(shown, found),
    h('p', { class: 'quiet' }, game.note(advice)),
  ];
}

/** Return the button of a deep analysis; `look` makes one, and is given a function to call with the share that is done. */
export function lookButton(look) {
  const asked = button(t('advice.look deep'), async () => {
    const bar = h('progress', { max: 1, 'aria-label': t('advice.look deep') });
    asked.replaceWith(bar);
    await look((share) => { bar.value = share; });
    bar.replaceWith(asked); // if it failed
  }, { class: 'small', title: t('advice.deep title') });
  return asked;
}

/** Say why the best move is better than the one that is compared with it, or than the next one with a reason. */
function why([best, ...others], compared) {
  const other = compared && compared !== best ? compared : others.find((one) => one.reason);
  return other?.reason && reasonLine(best.move, other);
}

/** Say what happens more often after the best move than after one that rollouts found clearly worse, and what it gains. */
export function reasonLine(best, { move, reason, behind: gain, behind_margin: margin }) {
  const { event, best: more, other } = reason;
  const figures = { more: percent(more), other: percent(other), risk: percent(1 - more), otherRisk: percent(1 - other) };
  return h('p', { class: 'why' }, miniMove(best), ' ', t(`reason.${event}`, figures), ' ', miniMove(move), ' ', t('reason.gain', { gain: interval(gain, margin) }));
}

/**
 * Draw the values of a position with the button of its deep analysis.
 *
 * @param found the server's analysis
 * @param move the one that was chosen
 * @param look requests a deep analysis, and calls a function with the share that is done
 * @param tell called with the judgements of the chosen and of the best move, again after a deep analysis
 */
export function studied(found, move, look, tell) {
  const drawn = h('div');
  const show = (answer) => {
    const { moves } = deepened(answer);
    tell(moves.find((one) => one.move === move || one.alike.includes(move)), moves[0]);
    put(drawn, ...valueList(deepened(answer), null, move), answer.deep ? null : lookButton(async (onprogress) => {
      const deep = await look(onprogress).catch((error) => announce(error.message));
      if (deep) show(deep);
    }));
  };
  show(found);
  return drawn;
}

function line(one, i, onpick, isPlayed) {
  const label = one.alike.length ? h('span', { class: 'ways' }, t('advice.ways', { n: one.alike.length + 1 })) : null;
  const content = [
    h('span', { class: 'key', 'aria-hidden': 'true' }, String(i + 1)),
    h('span', { class: 'what' }, miniMove(one.move), label, isPlayed && h('span', { class: 'played' }, t('advice.played'))),
    ...figures(one, i),
    one.mark ? h('span', { class: `mark ${one.mark}` }, t(`mark.${one.mark}`), game.lost(one)) : game.detail(one) && h('span', { class: 'detail' }, game.detail(one)),
    i > 0 && one.behind !== undefined && h('span', { class: 'behind' }, behind(one)),
  ];
  const item = onpick
    ? h('button', { type: 'button', class: 'line', onclick: () => onpick(one.move, i), 'aria-label': lineWords(one, i) }, ...content)
    : h('div', { class: 'line' }, ...content);
  return h('li', { class: one.grade }, item);
}

function behind(one) {
  return isClose(one) ? t('advice.close') : interval(-one.behind, one.behind_margin);
}

function figures(one, i) {
  const isCertain = one.grade === 'certain';
  const equal = isCertain ? h('span', { class: 'equal', title: t('grade.certain') }, '✓')
    : i > 0 && one.grade === 'best' ? h('span', { class: 'equal', title: t('advice.equal') }, '=') : null;
  const found = game.figures(one);
  if (found === null) return [h('span', { class: 'grade' }, equal, t(`grade.${one.grade}`))];
  const filled = h('span', { class: 'filled' });
  filled.style.setProperty('--win', `${100 * found.bar}%`);
  return [h('span', { class: 'bar', 'aria-hidden': 'true' }, filled), h('span', { class: 'win' }, equal, found.main),
    h('span', { class: 'cards' }, found.more)];
}

function lineWords(one, i) {
  const found = game.figures(one);
  const words = found?.words ?? t(`grade.${one.grade}`);
  const certain = one.grade === 'certain' && found && t('grade.certain');
  const grade = one.mark ? t(`mark.${one.mark}`) : i > 0 && one.behind !== undefined ? behind(one) : !certain && found && t(`grade.${one.grade}`);
  return [`${i + 1}: ${spokenCards(one.move)}`, words, game.detail(one), certain, grade].filter(Boolean).join(', ');
}
