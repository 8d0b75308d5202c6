/** Catch Five for the local tables: positions of the engine, views, records, matches, and advice. */

import { DEALT, FIRST_CARD_PLY, HAND_SIZE, MOST_STOCK, NUM_PLAYERS as PLAYERS } from '../engine/constants.catch5.js';
import { judged } from './agents.js';
import { hexOf } from './bytes.js';
import { DEALS, LETTERS, LIKELY, ORDER, RANKS, SUITS, UNLIKELY } from './data/constants.catch5.js';
import { LISTED } from './data/constants.js';
import { cardsIn, countOf, Deck, maskOf, union } from './deck.js';
import { streamOf } from './engine.js';
import { Played, Position } from './played.js';
import { checkFormat, checkPayoffs, listOf, ordered, seeded, shownSeats } from './record.js';
import { refusalOfCards } from './refusals.js';
import { Refused, shown } from './refused.js';
import { lookAt } from './thinking.js';

const CODE = /^([0-3])-([A-Za-z]{36})(?:-([0-9a-f]{16}))?$/;
const WORD = /^[0-9a-f]{16}$/;

const deck = new Deck([...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit)));

class Catch5Position extends Position {
  /** @param core the position of the engine */
  constructor(rules, deal, core, before = null, move = null) {
    super(core, before, move);
    const { hands, played, dead, ...game } = core.values;
    Object.assign(this, { rules, deal, player: game.player });
    this.game = { ...game, hands: hands.map(BigInt), played: played.map(BigInt), dead: BigInt(dead) };
  }

  get isOver() {
    return this.choices.length === 0;
  }

  get isForced() {
    return this.choices.length === 1;
  }

  play(move) {
    return new Catch5Position(this.rules, this.deal, this.core.play(this.choices[this.legal.indexOf(move)]), this, move);
  }

  /** Return why the seat to move may not make a move that is not legal. */
  refusal(text) {
    const { legal, rules, game, player } = this;
    const bids = legal.filter((move) => move.startsWith('bid')).map((move) => Number(move.slice(4)));
    const mayPass = legal.includes('pass');
    if (bids.length) return { reason: mayPass ? 'bid' : 'must bid', values: { low: bids[0], high: bids.at(-1) } };
    if (game.trump < 0) return { reason: mayPass ? 'only pass' : 'name trumps', values: {} };
    const led = game.trick[game.leader];
    return refusalOfCards(text, this.handOf(player), deck) ?? { reason: `follow ${rules.fields.following}`, values: { suit: deck.names[led]?.[1] } };
  }

  handOf(seat) {
    return deck.format(this.game.hands[seat]);
  }

  /** The public part of a view. */
  get view() {
    const { game, trace, rules, isOver } = this;
    const isAuction = game.trump < 0;
    const winners = game.winners.filter((seat) => seat >= 0);
    const tricks = Math.ceil(Math.max(0, trace.length - FIRST_CARD_PLY) / PLAYERS);
    const bids = game.bids.map((bid) => (bid < 0 ? null : bid ? `bid ${bid}` : 'pass'));
    return {
      rules: rules.json, title: rules.title, ply: trace.length, to_move: isOver ? null : game.player, left: game.hands.map(countOf),
      last: isAuction ? bids : game.trick.map((card) => (card < 0 ? null : deck.names[card])),
      trick: Math.min(winners.length + 1, HAND_SIZE), tricks: [0, ...Array.from({ length: tricks }, (_, i) => FIRST_CARD_PLY + PLAYERS * i)],
      log: trace, dealer: game.dealer, bids: game.bids.map((bid) => (bid < 0 ? null : bid)), bidder: game.bidder < 0 ? null : game.bidder,
      trump: isAuction ? null : SUITS[game.trump], points: game.points, winners, trick_points: winners.map((_, i) => this.#pointsOf(i)),
      kept: isAuction ? null : game.drawn.map((lacked) => HAND_SIZE - lacked), dead: deck.format(game.dead),
    };
  }

  /** Return the points that the teams took in a trick. */
  #pointsOf(trick) {
    const total = (ply) => this.at(ply).game.points.reduce((sum, points) => sum + points, 0);
    const start = FIRST_CARD_PLY + PLAYERS * trick;
    return total(start + PLAYERS) - total(start);
  }

  /** Return the cards that a seat threw at the refill, and those that it drew; null before it. */
  refillOf(seat) {
    const { trump, hands, played } = this.game;
    if (trump < 0) return null;
    const trumps = maskOf(cardsIn((1n << 52n) - 1n).filter((card) => deck.names[card][1] === SUITS[trump]));
    const [dealt, now] = [this.at(0).game.hands[seat], hands[seat] | played[seat]];
    const kept = dealt & now & trumps;
    return { discarded: deck.format(dealt & ~kept), drawn: deck.format(now & ~kept) };
  }
}

export class Catch5 extends Played {
  comparedIn = DEALS;

  rulesOf(json, title, fields, core) {
    return { json, title, fields, core, players: PLAYERS, network: this.networkOf({ fields }) };
  }

  /** Return the facts of custom rules. */
  async ownFacts({ fields }) {
    const like = this.options.rules.find((preset) => preset.fields.judging === fields.judging);
    return { ...this.facts.rules[like.name], target: this.#target({ fields }) };
  }

  #begin(rules, deal) {
    return new Catch5Position(rules, deal, this.engine.start(rules.core, { ...deal, hands: deal.hands.map(Number), word: [deal.word] }));
  }

  #target(rules) {
    return rules.fields.target || Object.values(this.facts.rules)[0].target; // that of rules without a target
  }

  /** Deal the first hand of a match at random. */
  deal(rules) {
    return this.#handOf(rules, this.#shuffled(rules), { hand: 1, totals: [0, 0], target: this.#target(rules) });
  }

  /** Return a random deal, or that of a stream. */
  #shuffled(rules, stream = undefined) {
    const { dealer, hands, word } = this.engine.deal(rules.core, stream);
    return { dealer, hands: hands.map(BigInt), word: BigInt(word[0]) };
  }

  #handOf(rules, deal, match) {
    return { position: this.#begin(rules, deal), match };
  }

  /** Deal the next hand of a match, or the first of another. */
  next(position, match) {
    const { rules } = position;
    const next = this.deal(rules);
    if (this.#winner(position, match) !== null) return next;
    const dealer = (position.game.dealer + 1) % PLAYERS;
    return this.#handOf(rules, { ...next.position.deal, dealer }, { ...match, hand: match.hand + 1, totals: totalsAfter(position, match) });
  }

  /** Return the team that has won a match; null while it lasts. */
  #winner(position, match) {
    const totals = totalsAfter(position, match);
    const reached = totals.map((total) => total >= match.target);
    if (!reached.includes(true)) return null;
    if (reached.includes(false)) return reached.indexOf(true);
    if (position.rules.fields.bidder_first) return position.game.bidder % 2;
    return totals[0] === totals[1] ? null : Number(totals[1] > totals[0]);
  }

  matchOf({ match }, rules) {
    return match ?? { hand: 1, totals: [0, 0], target: this.#target(rules) };
  }

  /** Return the deal of a code, or of `seed/number`; null if the text is neither. */
  findDeal(text, rules) {
    const given = seeded(text);
    const code = CODE.exec(text);
    if (!given && !code) return null;
    const deal = given ? this.#shuffled(rules, streamOf(given)) : dealOfCode(code);
    return this.#handOf(rules, deal, this.matchOf({}, rules));
  }

  dealCode(position) {
    const { dealer, hands, word } = position.deal;
    const letters = hands.flatMap((hand) => cardsIn(hand).map((card) => LETTERS[card])).join('');
    return [dealer, letters, ...(word ? [hex(word)] : [])].join('-');
  }

  dealKey({ deal }) {
    return JSON.stringify([deal.dealer, deal.hands]);
  }

  seatView(position, seat, match) {
    const { view } = position;
    if (seat === null) return { ...view, match, hand: null, legal: null, refill: null };
    return { ...view, match, hand: position.handOf(seat), legal: position.player === seat ? position.legal : [], refill: position.refillOf(seat) };
  }

  endView(position, match) {
    const { bids, bidder, points } = position.game;
    const [own, other] = position.payoffs;
    return {
      bid: bids[bidder], made: points[bidder % 2] >= bids[bidder], scores: [own, other],
      match_totals: totalsAfter(position, match), match_winner: this.#winner(position, match),
    };
  }

  /** Return the position of a record, with all hands, or that of one seat. */
  positionView(position, seat, { seats, extra }) {
    const { game, legal, player } = position;
    return {
      ...position.view, match: extra.match ?? null, hands: game.hands.map((_, other) => (seat === null || seat === other ? position.handOf(other) : null)),
      legal: seat === null || seat === player ? legal : null, refill: seat === null ? null : position.refillOf(seat), seats: shownSeats(seats, PLAYERS),
    };
  }

  /** Return a record as a JSON object. */
  toRecord(position, extra) {
    const { rules, moves, isOver, payoffs, game } = position;
    return ordered({ ...extra, catch5: 1, rules: rules.json, deal: writtenDeal(position.deal, game), moves, payoffs: isOver ? payoffs : null }, ['catch5', ...ORDER]);
  }

  /** Read a record, checked by replaying it. */
  async parseRecord(data) {
    checkFormat(data, 'catch5', 1);
    const rules = this.parseRules(data.rules);
    let position = this.#begin(rules, readDeal(data.deal));
    for (const [i, text] of listOf(data, 'moves').entries()) position = played(position, text, i);
    checkPayoffs(data.payoffs, position);
    return { position, seats: data.seats ?? null, extra: data };
  }

  /** Return the network's judgement of the legal moves, the likeliest first. */
  async advise(position) {
    const { shares, chosen, value } = await judged(this.advisor, position);
    const alike = (place) => position.legal.filter((_, i) => chosen[i] === place && i !== place);
    const all = position.legal.map((move, i) => ({ move, share: shares[i], points: null, alike: alike(i) }));
    const found = all.filter((_, i) => chosen[i] === i).sort((a, b) => b.share - a.share);
    const best = found[0].share;
    return { points: value, moves: found.map((one) => ({ ...one, grade: one.share === best ? 'best' : one.share >= UNLIKELY ? 'good' : 'worse' })) };
  }

  /** Return estimates of the moves by rollouts. */
  async look(position, played, onprogress) {
    const found = await lookAt(position, DEALS, position.legal, onprogress);
    return { deals: DEALS, guessed: true, moves: found.map(({ points, ...move }) => ({ ...move, mean: points })) };
  }

  adviceJson(advice) {
    return { calibrated: true, ...advice };
  }

  reviewJson({ ply, seat, move, advice, chosen }) {
    const [best] = advice.moves;
    return { ply, seat, move, best: best.move, share: chosen.share, best_share: best.share, points: advice.points, mark: isOdd({ advice, chosen }) ? 'odd' : '' };
  }

  worst(reviewed) {
    return reviewed.filter(isOdd).sort((a, b) => a.chosen.share - b.chosen.share).slice(0, LISTED);
  }

  payoff(payoffs, seat) {
    return payoffs[seat] - payoffs[(seat + 1) % PLAYERS];
  }

  givenAway() {
    return null;
  }
}

/** Whether the network clearly prefers another move. */
function isOdd({ advice, chosen }) {
  return chosen.share < UNLIKELY && advice.moves[0].share > LIKELY;
}

function totalsAfter(position, match) {
  const [own, other] = position.payoffs;
  return [match.totals[0] + own, match.totals[1] + other];
}

function played(position, text, i) {
  const found = position.legal.find((move) => move.toLowerCase() === String(text).trim().toLowerCase());
  if (found) return position.play(found);
  if (position.isOver) throw new Refused(422, `move ${i + 1}, ${shown(text)}, is not legal: the game has ended`);
  throw new Refused(422, `move ${i + 1}, ${shown(text)} by seat ${position.player}, is not legal: it holds ${position.handOf(position.player)}; legal are ${position.legal.join(', ')}`);
}

// Deals: of records, and of codes.

/** Return a deal as records have it, with the orders of the refill that a game used. */
function writtenDeal({ dealer, hands, word }, { redeal, leftover }) {
  const stock = hands.reduce((rest, hand) => rest & ~hand, (1n << 52n) - 1n);
  const known = (order) => {
    const cards = order.filter((card) => card >= 0);
    return cards.length ? cards : null;
  };
  return ordered({ dealer, hands: hands.map(cardsIn), stock: cardsIn(stock), word: word ? hex(word) : null, redeal_stock: known(redeal), leftover: known(leftover) }, []);
}

function readDeal(deal) {
  if (typeof deal !== 'object' || deal === null) throw new Refused(422, `deal is ${shown(deal)}: it must be an object`);
  const { dealer, word } = deal;
  if (![0, 1, 2, 3].includes(dealer)) throw new Refused(422, `deal: dealer is ${shown(dealer)}: it must be a seat from 0 to 3`);
  const hands = listOf(deal, 'hands', PLAYERS).map((cards, seat) => handOf(cards, seat));
  if (countOf(union(hands)) !== PLAYERS * DEALT) throw new Refused(422, 'deal: a card is in two hands');
  if (word !== undefined && word !== null && !(WORD.test(word) && BigInt(`0x${word}`))) throw new Refused(422, `deal: word is ${shown(word)}: it must be 16 hexadecimal digits, not all 0`);
  const orders = word ? {} : { redeal: orderOf(deal, 'redeal_stock', MOST_STOCK), leftover: orderOf(deal, 'leftover', HAND_SIZE) };
  return { dealer, hands, word: word ? BigInt(`0x${word}`) : 0n, ...orders };
}

/** Return an order of the refill, filled up with -1. */
function orderOf(deal, name, most) {
  const cards = deal[name] === undefined || deal[name] === null ? [] : listOf(deal, name).filter((card) => card !== -1);
  if (cards.length > most || !cards.every(isCard)) throw new Refused(422, `deal: ${name} is ${shown(cards)}: it must be at most ${most} cards, numbers from 0 to 51`);
  return [...cards, ...Array(most - cards.length).fill(-1)];
}

function isCard(card) {
  return Number.isInteger(card) && card >= 0 && card < LETTERS.length;
}

function handOf(cards, seat) {
  const isHand = Array.isArray(cards) && cards.length === DEALT && cards.every(isCard);
  if (!isHand || new Set(cards).size < DEALT) throw new Refused(422, `deal: hands[${seat}] is ${shown(cards)}: it must be nine different cards, numbers from 0 to 51`);
  return maskOf(cards);
}

function dealOfCode([, dealer, letters, word]) {
  const cards = [...letters].map((letter) => LETTERS.indexOf(letter));
  const hands = Array.from({ length: PLAYERS }, (_, seat) => cards.slice(DEALT * seat, DEALT * (seat + 1)));
  return readDeal({ dealer: Number(dealer), hands, word: word ?? randomWord() });
}

function randomWord() {
  return hexOf(crypto.getRandomValues(new Uint8Array(8)));
}

function hex(word) {
  return word.toString(16).padStart(16, '0');
}
