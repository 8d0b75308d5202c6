/** Means with 95 % intervals, by Student's t. */

import { FEWEST, HALVINGS } from './data/constants.js';

const SHARE = 0.95;

/** Return the mean of values and half the width of its interval; null for fewer than FEWEST values. */
export function estimated(values) {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  if (count < FEWEST) return { mean, margin: null };
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  return { mean, margin: studentT(count - 1) * Math.sqrt(variance / count) };
}

/** Return Student's t that SHARE of its distribution lies within. */
function studentT(freedom) {
  let [low, high] = [0, Math.PI / 2]; // of atan(t / sqrt(freedom))
  for (let i = 0; i < HALVINGS; i += 1) {
    const middle = (low + high) / 2;
    if (shareWithin(middle, freedom) < SHARE) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan(low);
}

/** Return the share of Student's t within sqrt(freedom) * tan(angle) (Abramowitz and Stegun 26.7.3, 26.7.4). */
function shareWithin(angle, freedom) {
  const isOdd = freedom % 2;
  let term = isOdd ? Math.cos(angle) : 1;
  let total = term;
  for (let power = 2 + isOdd; power < freedom - 1; power += 2) {
    term *= (power - 1) / power * Math.cos(angle) ** 2;
    total += term;
  }
  return isOdd ? 2 / Math.PI * (angle + (freedom > 1 ? Math.sin(angle) * total : 0)) : Math.sin(angle) * total;
}
