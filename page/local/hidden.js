/** Records of Big 2 with hidden hands, or that begin in the middle of a game; `rlcard_big2.records` describes them. */

import { NUM_CARDS } from '../engine/constants.js';
import { BEFORE_KEYS, RANKS } from './data/constants.big2.js';
import { cardsIn, countOf, maskOf, union } from './deck.js';
import { listOf } from './record.js';
import { refuse, shown } from './refused.js';

const lowestOf = (mask) => mask & -mask;

/** Return the mask of the cards of the pack. */
export function packOf({ fields }) {
  return maskOf(Array.from({ length: 4 * fields.ranks }, (_, i) => NUM_CARDS - 1 - i));
}

/** Return the cards beyond `hand_size` that the seat that opens holds. */
export function extraOf({ fields: { leftover, ranks, players, hand_size: size } }) {
  return leftover === 'opener' ? 4 * ranks - players * size : 0;
}

/** Read the state before the moves of a record, where its first moves are unknown. */
export function readBefore(data, rules) {
  if (typeof data !== 'object' || Array.isArray(data)) refuse(`before is ${shown(data)}: it must be an object`);
  const unknown = Object.keys(data).find((key) => !BEFORE_KEYS.includes(key));
  if (unknown !== undefined) refuse(`before: ${shown(unknown)} is unknown: its keys are ${BEFORE_KEYS.join(', ')}`);
  const { players, deck } = rules;
  const lists = [data.played, data.left].map((value) => Array.isArray(value) && value.length === players);
  if (lists.includes(false)) refuse(`before: played and left must have ${players} entries each`);
  const played = data.played.map((cards, seat) => deck.parse(cards, `played[${seat}]`));
  const { left, by, passes = 0 } = data;
  const table = deck.parse(data.table, 'table');
  checkCards(played, left, rules);
  if (![...played.keys()].includes(by)) refuse(`before: by is ${shown(by)}: it must be a seat from 0 to ${players - 1}`);
  const most = table ? players - 2 : 0;
  if (!(Number.isInteger(passes) && passes >= 0 && passes <= most)) refuse(`before: passes is ${shown(passes)}: it must be ${table ? `from 0 to ${most}` : '0, since the table is empty'}`);
  if (table & ~played[by]) refuse(`before: the table is ${deck.format(table)}, but seat ${by} has not played these cards`);
  if (!table && !played[by]) refuse(`before: seat ${by} is to lead, but has played no card`);
  const since = Array.from({ length: passes }, (_, i) => (by + 1 + i) % players);
  const passed = data.passed ?? [...since].sort();
  checkPassed(passed, since, table, by, rules);
  return { played, left, table, by, passes, passed, toMove: table ? (by + 1 + passes) % players : by };
}

function checkCards(played, left, rules) {
  const { deck, fields: { hand_size: size } } = rules;
  const sizes = [...new Set([size, size + extraOf(rules)])];
  let seen = 0n;
  for (const [seat, cards] of played.entries()) {
    if (cards & ~packOf(rules)) refuse(`before: ${deck.format(cards & ~packOf(rules))} is not in the pack`);
    if (cards & seen) refuse(`before: ${deck.format(cards & seen)} was played twice`);
    seen |= cards;
    if (!(left[seat] >= 1 && sizes.includes(countOf(cards) + left[seat]))) {
      refuse(`before: seat ${seat} has played ${countOf(cards)} cards and has ${shown(left[seat])} left: they must add up to ${sizes.join(' or ')}, with at least one left`);
    }
  }
  if (!seen) refuse('before: no card was played: give "moves": [] and no before');
}

function checkPassed(passed, since, table, by, { players, fields }) {
  const isSeat = (seat) => Number.isInteger(seat) && seat >= 0 && seat < players;
  if (!Array.isArray(passed) || !passed.every((seat, i) => isSeat(seat) && (i === 0 || seat > passed[i - 1]))) refuse(`before: passed is ${shown(passed)}: it must list seats from 0 to ${players - 1}, ascending`);
  const missing = since.find((seat) => !passed.includes(seat));
  if (missing !== undefined) refuse(`before: passed lacks seat ${missing}, which passed after the table was played`);
  if (passed.length && !table) refuse(`before: passed is ${shown(passed)}, but the table is empty: nobody has passed`);
  if (fields.final_pass && passed.includes(by)) refuse(`before: seat ${by} has passed, and a pass is final: it cannot hold the table`);
}

/** Return whether a hand at the deal is one that wins. */
export function winsByDeal(hand, { fields: { instant_wins: wins } }) {
  const ranks = cardsIn(hand).map((card) => RANKS[card >> 2]);
  const [isDragon, isTwos] = [new Set(ranks).size === RANKS.length, ranks.filter((rank) => rank === '2').length === 4];
  return (isDragon && wins !== 'twos' && wins !== 'none') || (isTwos && wins !== 'dragon' && wins !== 'none');
}

/** Return the seat that leads first by the rules; null if the deal decides. */
export function leaderOf({ fields: { leads } }) {
  return /^\d$/.test(leads) ? Number(leads) : null;
}

/** Return the seat that opens, given the known hands: null for the others. */
export function openerOf(data, hands, rules) {
  const { deck, players } = rules;
  const lowest = lowestOf(packOf(rules));
  const lows = hands.map((hand) => hand && lowestOf(hand));
  const known = lows.filter((low) => low);
  const least = known.reduce((a, b) => (b < a ? b : a), 1n << 52n);
  const isSure = known.length === players || least === lowest;
  const leader = leaderOf(rules);
  const holder = leader ?? (isSure ? lows.indexOf(least) : null);
  const opener = data.opener ?? holder;
  if (opener === null) refuse(`opener is missing: no known hand holds ${deck.format(lowest)}, so the seat that opens must be given`);
  if (!(Number.isInteger(opener) && opener >= 0 && opener < players)) refuse(`opener is ${shown(opener)}: it must be a seat from 0 to ${players - 1}`);
  if (holder !== null && holder !== opener) refuse(`opener is ${opener}, but seat ${holder} ${leader === null ? 'holds the lowest card' : 'leads by the rules'}`);
  return opener;
}

/** Raise Refused unless the known hands have their sizes, and share no card with each other or with those that are gone. */
export function checkHands(hands, sizes, gone, { deck, ...rules }) {
  let seen = gone;
  for (const [seat, hand] of hands.entries()) {
    if (hand === null) continue;
    if (hand & ~packOf(rules) || countOf(hand) !== sizes[seat]) refuse(`hand ${seat} has ${countOf(hand)} cards: it must have ${sizes[seat]}, each of the pack`);
    if (hand & seen) refuse(`hand ${seat} holds ${deck.format(hand & seen)}, which another hand holds or which was played`);
    seen |= hand;
  }
}

/**
 * Deal the hidden cards at random, so that each seat holds the cards that its moves show.
 *
 * @param hands masks, null if hidden
 * @param moves masks of the moves, the first by seat `first`
 * @param sizes of the hands
 * @param gone the cards that were played before
 * @param limits by seat: cards that its hidden ones are below, if there are enough of them
 */
export function dealHidden(hands, moves, first, sizes, gone, rules, limits) {
  const pack = packOf(rules);
  const held = hands.map((hand) => hand ?? 0n);
  const isAllInPlay = sizes.reduce((sum, size) => sum + size, 0) === countOf(pack);
  const isLowest = !gone && leaderOf(rules) === null; // the seat that opens holds the lowest card in play
  if (isLowest && isAllInPlay) held[first] |= lowestOf(pack);
  let played = gone;
  for (const [ply, move] of moves.entries()) {
    const seat = (first + ply) % sizes.length;
    const others = union(held.filter((_, other) => other !== seat));
    if (move & (others | played) || countOf(held[seat] | move) > sizes[seat]) break; // the move is refused later
    held[seat] |= move;
    played |= move;
  }
  const missing = held.map((hand, seat) => sizes[seat] - countOf(hand));
  const hidden = pack & ~gone & ~union(held);
  const opened = moves.length && rules.fields.opening !== 'any' ? moves[0] : 0n;
  const least = missing[first] ? opened : held[first]; // which shows the lowest card in play
  const above = isLowest && least ? hidden & -lowestOf(least) : hidden;
  const needed = missing.reduce((sum, count) => sum + count, 0);
  let cards = shuffled(cardsIn(countOf(above) >= needed ? above : hidden));
  const order = [...sizes.keys()].sort((a, b) => limits[a] - limits[b]);
  for (const seat of order) {
    const dealt = [...cards].sort((a, b) => (a >= limits[seat]) - (b >= limits[seat])).slice(0, missing[seat]);
    held[seat] |= maskOf(dealt);
    cards = cards.filter((card) => !dealt.includes(card));
  }
  return held;
}

function shuffled(cards) {
  return cards.map((card) => [Math.random(), card]).sort(([a], [b]) => a - b).map(([, card]) => card);
}

/** Raise Refused unless given payoffs of a game whose hands are not all known are possible. */
export function checkHiddenPayoffs(given, winner, data, players) {
  if (given === undefined || given === null) return;
  if (winner < 0) refuse('payoffs are given, but the game has not ended');
  const payoffs = listOf(data, 'payoffs', players);
  const others = payoffs.filter((_, seat) => seat !== winner);
  if (payoffs.reduce((sum, one) => sum + one, 0) !== 0 || payoffs[winner] < Math.max(1, ...others)) refuse(`payoffs are ${shown(given)}: seat ${winner} has won most, and they sum to 0`);
}
