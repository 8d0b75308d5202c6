/** Means, margins and reasons of rollouts in the same deals, which are drawn in groups. */

import {CLEAR, GROUPS, LEAST, T95} from './constants.js';

/** Return random numbers of 64 bits, from which the deals of as many groups are drawn. */
export function newStreams(count = GROUPS) {
  return [...crypto.getRandomValues(new BigUint64Array(count))];
}

/** Throw RangeError unless moves can be compared in a number of deals. */
export function checkLook(position, moves, deals) {
  if (!(deals > 0) || deals % GROUPS) throw new RangeError(`deals=${deals}: expected a multiple of ${GROUPS}`);
  const illegal = moves.find((move) => !position.legalMoves().includes(move));
  if (illegal !== undefined || !moves.length) throw new RangeError(moves.length ? `move ${illegal} is not legal` : 'no moves to look at');
}

/** Return the place of the highest of values from a start to an end, the first of equal ones. */
export function highest(values, start = 0, end = values.length) {
  let best = start;
  for (let i = start + 1; i < end; i++) if (values[i] > values[best]) best = i;
  return best;
}

export function mean(numbers) {
  return numbers.reduce((sum, one) => sum + Number(one), 0) / numbers.length;
}

/** Return the margin of the mean of numbers by deal, from the means of the groups. */
function marginOf(numbers) {
  const groups = Array.from({length: GROUPS}, (_, group) => mean(numbers.filter((_one, i) => i % GROUPS === group)));
  const variance = groups.reduce((sum, one) => sum + (one - mean(groups)) ** 2, 0) / (GROUPS - 1);
  return T95 * Math.sqrt(variance / GROUPS);
}

/**
 * Return what moves are worth, the best first: the mean of their payoffs, the loss against the best move in the same
 * deals, both with margins, and the reason why the best move is better, if it clearly is.
 *
 * @param {{payoffs: number[], events: Object<string, boolean[]>}[]} outcomes of each move, by deal; the most telling event first.
 */
export function compare(outcomes) {
  const order = [...outcomes].sort((a, b) => mean(b.payoffs) - mean(a.payoffs));
  const [best] = order;
  return order.map((one) => {
    const differences = one.payoffs.map((payoff, deal) => best.payoffs[deal] - payoff);
    const [behind, margin] = [mean(differences), one === best ? 0 : marginOf(differences)];
    const reason = behind > margin ? reasonOf(best.events, one.events) : null;
    return {...one, mean: mean(one.payoffs), margin: marginOf(one.payoffs), behind, behind_margin: margin, reason};
  });
}

/** Return the first event that happens clearly more often after the better of two moves; null if there is none. */
function reasonOf(best, other) {
  const found = Object.keys(best).filter((event) => event in other).map((event) => {
    const differences = best[event].map((happened, deal) => happened - other[event][deal]);
    return {event, best: mean(best[event]), other: mean(other[event]), margin: marginOf(differences)};
  });
  return found.find((one) => one.best - one.other >= Math.max(LEAST, CLEAR * one.margin)) ?? null;
}
