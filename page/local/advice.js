/** Advice on moves of Big 2: values graded as `rlcard_play.big2.advice` does it. */

import { interpolated } from '../engine/network.js';
import { CLOSE, EQUAL, MARKS } from './data/constants.big2.js';
import { CONFIRMING, LISTED } from './data/constants.js';

/**
 * Return the moves with their grades, best first.
 *
 * @param moves legal ones: `move`, `kind`, `value`, and `wins`: its payoff if it wins whatever others hold (NaN if unknown), or null
 * @param calibration tables of the network's values
 */
export function graded(moves, calibration) {
  const best = Math.max(...moves.map(({ value }) => value));
  const isCertain = ({ wins }) => wins !== null;
  const order = [...moves].sort((a, b) => isCertain(b) - isCertain(a) || b.value - a.value);
  const folded = fold(order.map((one) => ({ ...one, value: isCertain(one) ? best : one.value })));
  const anyCertain = moves.some(isCertain);
  return folded.map((one) => grade(one, best, anyCertain, calibration));
}

/** Group moves of the same kind and ranks with equal values, apart from those that certainly win. */
function fold(moves) {
  const folded = [];
  const newest = new Map();
  for (const one of moves) {
    const ranks = [one.wins !== null, one.kind, ...one.move.split(' ').map((card) => card[0])].join();
    const same = newest.get(ranks);
    if (same && same.value - one.value < EQUAL) {
      same.alike.push(one.move);
    } else {
      newest.set(ranks, { ...one, alike: [] });
      folded.push(newest.get(ranks));
    }
  }
  return folded;
}

function grade({ move, kind, alike, value, wins }, best, anyCertain, calibration) {
  const gap = best - value;
  const isCertain = wins !== null;
  const name = isCertain ? 'certain' : gap < EQUAL ? 'best' : gap < CLOSE ? 'good' : 'worse';
  const known = { move, kind, alike, gap, grade: name };
  const { values } = calibration;
  const expected = interpolated(value, values, calibration.cards);
  const win = isCertain ? 1 : interpolated(value, values, calibration.win);
  const cards = isCertain && Number.isFinite(wins) ? wins : expected;
  const lost = (anyCertain ? 1 : interpolated(best, values, calibration.win)) - win;
  return { ...known, win, cards, lost, mark: gap < CLOSE ? '' : MARKS.find(([least]) => lost >= least)?.[1] ?? '' };
}

/** Return the mark of a move by rollouts, if they find it clearly worse than the best one. */
export function rolloutMark(best, one) {
  return one.behind > CONFIRMING * one.behind_margin ? MARKS.find(([least]) => best.win - one.win >= least)?.[1] ?? '' : '';
}

/** Return the costliest of reviewed moves, worst first, without those that are too close to the best to call. */
export function costliest(reviewed) {
  const costly = reviewed.filter(({ chosen }) => chosen.gap >= CLOSE && chosen.lost !== 0);
  return costly.sort((a, b) => b.chosen.lost - a.chosen.lost || b.chosen.gap - a.chosen.gap).slice(0, LISTED);
}

/** Return the cards that a seat gave away by clear mistakes. */
export function givenAway(reviewed, seat) {
  const own = reviewed.filter((one) => one.seat === seat && one.chosen.gap >= CLOSE);
  return own.reduce((sum, { advice, chosen }) => sum + advice.moves[0].cards - chosen.cards, 0);
}
