/** List of moves with their values, for the seat to move. */

import { miniMove, spokenCards } from './cards.js';
import { button, h } from './dom.js';
import { game } from './game.js';
import { percent, t } from './strings.js';

const LINES = 5;

/**
 * Draw the best moves with their values.
 *
 * @param advice from the server: `moves`, best first, and optionally `deep`
 * @param onpick called with a move's text and number when its line is pressed; null makes no buttons
 * @param played the move made in the game; it is always listed
 */
export function valueList(advice, onpick = null, played = null) {
  const found = advice.moves.findIndex((one) => one.move === played || one.alike.includes(played));
  const shown = advice.moves.slice(0, LINES);
  if (found >= LINES) shown[LINES - 1] = advice.moves[found];
  const rest = advice.moves.length - shown.length;
  const lines = shown.map((one, i) => line(one, i, advice.deep, onpick, one === advice.moves[found]));
  return [
    h('ol', { class: `values${advice.deep ? ' deep' : ''}` }, ...lines),
    rest > 0 && h('p', { class: 'quiet' }, t('advice.rest', { n: rest })),
    h('p', { class: 'quiet' }, game.note(advice)),
    advice.deep && why(advice.deep, advice.moves[found]),
    advice.deep && h('p', { class: 'quiet' }, t(advice.deep.guessed ? 'advice.deep note' : 'advice.deep random', { n: advice.deep.deals })),
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

/** Say why the best move of a deep look is better than the played one, or than the next best: what happens more often after it. */
function why(deep, played) {
  const [best, ...others] = deep.moves;
  const shown = others.find((one) => played && (one.move === played.move || played.alike.includes(one.move))) ?? others.find((one) => one.reason);
  if (!shown?.reason) return null;
  const { event, best: more, other, margin } = shown.reason;
  const figures = { more: percent(more), other: percent(other), difference: Math.round(100 * (more - other)), margin: Math.ceil(100 * margin) };
  return h('p', {}, miniMove(best.move), ' ', t(`reason.${event}`, figures), ' ', miniMove(shown.move), ' ', t('reason.interval', figures));
}

function line(one, i, deep, onpick, isPlayed) {
  const label = one.alike.length ? h('span', { class: 'ways' }, t('advice.ways', { n: one.alike.length + 1 })) : null;
  const content = [
    h('span', { class: 'key', 'aria-hidden': 'true' }, String(i + 1)),
    h('span', { class: 'what' }, miniMove(one.move), label, isPlayed && h('span', { class: 'played' }, t('advice.played'))),
    ...figures(one, i),
    one.mark && h('span', { class: `mark ${one.mark}` }, t(`mark.${one.mark}`), game.lost(one)),
    deep && deepFigure(one, deep),
  ];
  const item = onpick
    ? h('button', { type: 'button', class: 'line', onclick: () => onpick(one.move, i), 'aria-label': lineWords(one, i) }, ...content)
    : h('div', { class: 'line' }, ...content);
  return h('li', { class: one.grade }, item);
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
  return [`${i + 1}: ${spokenCards(one.move)}`, words, certain, one.mark ? t(`mark.${one.mark}`) : !certain && found && t(`grade.${one.grade}`)].filter(Boolean).join(', ');
}

function deepFigure(one, deep) {
  const found = deep.moves.find((other) => other.move === one.move || one.alike.includes(other.move));
  return h('span', { class: 'deep-figure' }, found ? game.deep(found) : '–');
}
