/** Deep looks at moves of Catch Five: rollouts in random deals of the cards that a seat cannot see, not guessed from bids and play; see `rlcard_catch5.study.rollouts`. */

import { Position } from '../engine/engine.js';
import { reasonOf } from '../engine/look.js';
import { highest } from '../engine/rollouts.js';
import { cardsIn, countOf, maskOf, union } from './deck.js';
import { interval } from './statistics.js';

const PLAYERS = 4;
const TEAMS = 2;
const SUIT = 13; // cards of a suit, which follow each other
const DEALT = 9;
const HAND_SIZE = 6; // after the refill
const STOCK_SIZE = 16;
const TRUMP_PLY = 4;
const FIRST_CARD_PLY = 5;
const FIVE = 3; // its place in a suit
const ALL = (1n << 52n) - 1n;
const BATCH = 256; // games at once

const suitOf = (card) => Math.floor(card / SUIT);
const suitMask = (suit) => (1n << BigInt(SUIT)) - 1n << BigInt(SUIT * suit);

/**
 * Estimate all legal moves of a position, for the seat to move, from what it sees alone; the best first.
 *
 * @param network plays in all seats
 * @param position of the engine
 * @param deals number of deals of the hidden cards, the same for all moves
 * @param onprogress called with the share that is done
 * @param random returns random numbers from 0 to 1
 */
export function lookAtAll(network, position, deals, onprogress = () => {}, random = Math.random) {
  const { game, rules, player } = position;
  const own = player % TEAMS;
  const worlds = Array.from({ length: deals }, () => game.restore(rules, worldOf(position, random)));
  const moves = position.legalMoves();
  const outcomes = moves.map((move, i) => {
    const ends = playOut(network, worlds.map((world) => world.play(move)), (share) => onprogress((i + share) / moves.length));
    const ahead = ends.map((end) => {
      const payoffs = end.settle();
      return payoffs[own] - payoffs[1 - own];
    });
    return { move, ahead, made: ends.map((end) => isMade(end.values)), isOwn: ends.map((end) => end.values.bidder % TEAMS === own), events: eventsOf(position, ends, ahead) };
  });
  const mean = (numbers) => interval(numbers).mean;
  const [best, ...others] = outcomes.sort((a, b) => mean(b.ahead) - mean(a.ahead));
  return [best, ...others].map(({ move, ahead, made, isOwn, events }) => {
    const counted = made.filter((_, i) => position.ply >= TRUMP_PLY || isOwn[i]);
    return { move: position.text(move), ...interval(ahead), made: counted.length ? mean(counted.map(Number)) : null, reason: reasonOf(best.events, events, (numbers) => interval(numbers).margin) };
  });
}

function isMade({ points, bidder, bids }) {
  return points[bidder % TEAMS] >= bids[bidder];
}

/** Return what happened in games that are over, as the own team wants it. */
function eventsOf(position, ends, ahead) {
  const { values: { bidder, winners, trump }, ply, player } = position;
  const own = player % TEAMS;
  const found = { ahead: ahead.map((points) => points > 0) };
  if (ply >= TRUMP_PLY) found[bidder % TEAMS === own ? 'make' : 'set'] = ends.map((end) => isMade(end.values) === (bidder % TEAMS === own));
  if (ply >= FIRST_CARD_PLY) {
    const trick = winners.filter((seat) => seat >= 0).length;
    found.trick = ends.map((end) => end.values.winners[trick] % TEAMS === own);
    found.five = ends.map(({ values }) => {
      const place = values.order.indexOf(SUIT * trump + FIVE);
      return place >= 0 && values.winners[Math.floor(place / PLAYERS)] % TEAMS === own;
    });
  }
  return found;
}

/** Play games of the same ply to their end by the likeliest moves. */
function playOut(network, positions, onprogress) {
  const ends = [];
  for (let start = 0; start < positions.length; start += BATCH) {
    let games = positions.slice(start, start + BATCH);
    for (let moves = legalOf(games); moves[0].length; moves = legalOf(games)) games = playOnce(network, games, moves);
    ends.push(...games);
    onprogress(ends.length / positions.length);
  }
  return ends;
}

function legalOf(games) {
  return games.map((game) => game.legalMoves());
}

function playOnce(network, games, moves) {
  const free = [...games.keys()].filter((i) => moves[i].length > 1);
  const chosen = moves.map(([move]) => move);
  if (free.length) {
    const offsets = free.reduce((ends, i) => [...ends, ends.at(-1) + moves[i].length], [0]);
    const seen = free.map((i) => games[i].observe());
    const packed = new Uint8Array(seen.length * seen[0].length);
    seen.forEach((bytes, i) => packed.set(bytes, i * bytes.length));
    const values = network.valuesOf(games[0].rules, packed, free.flatMap((i) => moves[i]), offsets);
    free.forEach((i, row) => { chosen[i] = moves[i][highest(values, offsets[row], offsets[row + 1]) - offsets[row]]; });
  }
  return games.map((game, i) => game.play(chosen[i]));
}

/** Return the values of a state in which the seat to move sees the same. */
function worldOf(position, random) {
  const { values, player } = position;
  const hands = values.hands.map(BigInt);
  const word = [BigInt(Math.floor(random() * 2 ** 32)) << 31n | BigInt(Math.floor(random() * 2 ** 31))];
  if (values.trump < 0) {
    const cards = shuffled(cardsIn(ALL & ~hands[player]), random);
    const dealt = hands.map((hand, seat) => (seat === player ? hand : maskOf(cards.splice(0, DEALT))));
    return { ...values, hands: dealt.map(Number), stock: Number(maskOf(cards)), word };
  }
  const others = dealHands(position, random);
  const dealt = hands.map((hand, seat) => (seat === player ? hand : others.get(seat)));
  return { ...values, hands: dealt.map(Number), thrown: thrownOf(position, dealt, random).map(Number), stock: 0, word };
}

/** Return a mask for each other seat: the trumps it kept, the trumps drawn, and then other cards. */
function dealHands(position, random) {
  const { values, player } = position;
  const trumps = suitMask(values.trump);
  const unseen = unseenBy(position);
  const barred = barredOf(position);
  const seats = [1, 2, 3].map((i) => (player + i) % PLAYERS).sort((a, b) => countOf(unseen & ~barred[a]) - countOf(unseen & ~barred[b])); // the least choice first
  const room = values.hands.map((hand) => countOf(BigInt(hand)));
  const hands = new Map(seats.map((seat) => [seat, 0n]));
  const held = () => union([...hands.values()]);
  const give = (seat, cards, count) => {
    const able = shuffled(cardsIn(cards & ~held()), random);
    hands.set(seat, hands.get(seat) | maskOf(able.slice(0, Math.min(count, room[seat]))));
  };
  for (const seat of seats) {
    const played = countOf(BigInt(values.played[seat]) & trumps);
    give(seat, unseen & trumps & ~barred[seat], Math.max(0, HAND_SIZE - values.drawn[seat] - played));
  }
  for (const card of shuffled(cardsIn(unseen & trumps & ~held()), random)) { // all trumps are in play, but for those that exceeded a hand
    const able = seats.filter((seat) => countOf(hands.get(seat)) < room[seat] && !(barred[seat] & maskOf([card])));
    if (able.length) give(able[Math.floor(random() * able.length)], maskOf([card]), 1);
  }
  for (const seat of seats) give(seat, unseen & ~trumps & ~barred[seat], room[seat] - countOf(hands.get(seat)));
  for (const seat of seats) give(seat, unseen, room[seat] - countOf(hands.get(seat))); // another seat may have got the only cards that were left
  return hands;
}

/** Return the cards that others may hold: the seat's discards too, if the stock ran out. */
function unseenBy({ values, player }) {
  const known = union([...values.played, values.hands[player], values.dead].map(BigInt));
  const hasRunOut = values.drawn.reduce((sum, lacked) => sum + lacked, 0) > STOCK_SIZE;
  return ALL & ~(hasRunOut ? known : known | BigInt(values.thrown[player]));
}

/** Return the suits that each seat was unable to follow. */
function barredOf({ values, rules }) {
  const barred = Array(PLAYERS).fill(0n);
  const cards = values.order.filter((card) => card >= 0);
  for (const [i, card] of cards.entries()) {
    const led = cards[i - i % PLAYERS];
    const mayTrump = rules.fields.following === 'trump' && suitOf(card) === values.trump;
    const seat = values.played.findIndex((mask) => BigInt(mask) & maskOf([card]));
    if (suitOf(card) !== suitOf(led) && !mayTrump) barred[seat] |= suitMask(suitOf(led));
  }
  return barred;
}

/** Return the discards of each seat, of which a seat knows its own. */
function thrownOf({ values, player }, hands, random) {
  const own = BigInt(values.thrown[player]);
  const gone = union([own, ...hands, ...values.played.map(BigInt), suitMask(values.trump)]);
  const rest = shuffled(cardsIn(ALL & ~gone), random);
  return hands.map((_, seat) => (seat === player ? own : maskOf(rest.splice(0, DEALT - HAND_SIZE + values.drawn[seat]))));
}

function shuffled(cards, random) {
  return cards.map((card) => [random(), card]).sort(([a], [b]) => a - b).map(([, card]) => card);
}
