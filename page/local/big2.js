/** Big 2 for the local tables: positions of the engine, views, records, and advice. */

import { NUM_CARDS } from '../engine/constants.js';
import { costliest, givenAway, graded, rolloutMark } from './advice.js';
import { evaluated } from './agents.js';
import { base64Of } from './bytes.js';
import { loadCombinations } from './data.js';
import { COMPARED, DEALS, LOOKED_AT, MAX_MOVES, ORDER, PASS, RANKS, SHORT } from './data/constants.big2.js';
import { cardsIn, countOf, Deck, maskOf, union } from './deck.js';
import { streamOf } from './engine.js';
import { checkHands, checkHiddenPayoffs, dealHidden, extraOf, leaderOf, openerOf, packOf, readBefore, winsByDeal } from './hidden.js';
import { Played, Position } from './played.js';
import { checkFormat, checkPayoffs, listOf, ordered, seeded, shownSeats } from './record.js';
import { refusalOfCards } from './refusals.js';
import { Refused, shown } from './refused.js';
import { lookAt } from './thinking.js';

const CODE = /^([\w-]{18}|[\w-]{22})$/;
const TRIES = 200; // deals of hidden cards, until the moves of a record are legal
const MOST_DEALS = 1000; // of which none could be the beginning

class Big2Position extends Position {
  /**
   * @param core the position of the engine
   * @param before the position before it, or null
   * @param move the last move, a text
   * @param given of records with hidden hands, or that begin in the middle of a game
   */
  constructor(rules, core, before = null, move = null, given = before?.given ?? null) {
    super(core, before, move);
    this.given = given; // which hands are known, and how the record began, unless it did with a deal that is known
    const { player, winner, passes, hands, played, table } = core.values;
    Object.assign(this, { rules, player, winner, passes, table: BigInt(table) });
    this.hands = hands.slice(0, rules.players).map(BigInt);
    this.dealt = this.hands.map((hand, seat) => hand | BigInt(played[seat]));
  }

  get isOver() {
    return this.winner >= 0;
  }

  get isForced() {
    return this.legal.length === 1 && this.legal[0] === PASS;
  }

  /** Whether the cards that some seat now holds are not known. */
  get isHidden() {
    return this.hands.some((hand, seat) => hand && !this.isShown(seat));
  }

  /** Return whether the hand of a seat is known. */
  isShown(seat) {
    return this.given?.isKnown[seat] ?? true;
  }

  /** The kinds of the legal moves. */
  get kinds() {
    return this.choices.map((move) => this.#kindOf(move));
  }

  #kindOf(move) {
    return this.rules.kinds[this.core.kind(move)];
  }

  play(move) {
    return new Big2Position(this.rules, this.core.play(this.choices[this.legal.indexOf(move)]), this, move);
  }

  /** Return why the seat to move may not make a move that is not legal. */
  refusal(text) {
    const { rules, player, core } = this;
    if (text === PASS) return { reason: 'lead', values: {} };
    return refusalOfCards(text, this.handOf(player), rules.deck) ?? this.#byRules(Number(rules.deck.parse(text)), core.seen());
  }

  #byRules(cards, { passed }) {
    const { rules, core, table, player } = this;
    const [beat, size] = [rules.deck.format(table), cardsIn(BigInt(cards)).length];
    const [rated, onTable] = [core.strength(cards), table ? core.strength(Number(table)) : 0];
    if (rated === 0) return { reason: 'no combination', values: {} };
    if (!this.ply) return { reason: `opening ${rules.fields.opening}`, values: { cards: this.handOf(player).split(' ')[0] } };
    if (rules.fields.final_pass && passed & 1) return { reason: 'passed', values: {} };
    const isAnswer = core.game.table(core.rules).answers[onTable >> 16] >> (rated >> 16) & 1;
    if (!isAnswer && size !== countOf(table)) return { reason: 'count', values: { n: countOf(table), beat } };
    if (!isAnswer || rated <= onTable) return { reason: rated <= onTable ? 'weaker' : 'kind', values: { beat } };
    return { reason: size === 1 && countOf(this.hands[player]) > 1 ? 'last card' : 'lone two', values: {} };
  }

  handOf(seat) {
    return this.rules.deck.format(this.hands[seat]);
  }

  /** The public part of a view. */
  get view() {
    const { rules, trace, isOver, player, hands } = this;
    const tricks = tricksOf(trace, rules.players);
    const starts = tricks.map((_, i) => tricks.slice(0, i).reduce((sum, trick) => sum + trick.length, 0));
    return {
      rules: rules.json, title: rules.title, ply: trace.length, to_move: isOver ? null : player, left: hands.map(countOf),
      last: this.#lastMoves(tricks), table_hand: this.#tableHand(), trick: Math.max(1, tricks.length + (this.table ? 0 : 1)), tricks: starts, log: trace,
    };
  }

  #lastMoves(tricks) {
    const trick = Object.fromEntries(this.table && tricks.length ? tricks.at(-1) : []);
    return this.hands.map((_, seat) => trick[seat] ?? null);
  }

  #tableHand() {
    if (!this.table) return null;
    const { players, deck } = this.rules;
    const by = (this.player - 1 - this.passes + 2 * players) % players;
    return { cards: deck.format(this.table), kind: this.#kindOf(Number(this.table)), by, passes: this.isOver ? 0 : (this.player - 1 - by + 2 * players) % players };
  }
}

/** Split the moves of a game into tricks; see `split_tricks` in `study/views.py`. */
function tricksOf(trace, players) {
  const found = [];
  let passes = 0;
  for (const move of trace) {
    if (!found.length || (passes >= players - 1 && move[1] !== PASS)) found.push([]);
    found.at(-1).push(move);
    passes = move[1] === PASS ? passes + 1 : 0;
  }
  return found;
}

export class Big2 extends Played {
  comparedIn = COMPARED;

  rulesOf(json, title, fields, core) {
    const names = [...RANKS].flatMap((rank) => [...fields.suits].map((suit) => rank + suit));
    return {
      json, title, fields, core, players: fields.players, deck: new Deck(names), kinds: this.facts.kinds, network: this.networkOf({ fields }),
    };
  }

  /** Return the facts of custom rules, as `rlcard_play.big2.views.rule_facts` does. */
  async ownFacts({ core, deck, fields }) {
    const { engine, facts } = this;
    const most = fields.hand_size + extraOf({ fields });
    const fits = (mask) => !(mask & ~packOf({ fields })) && countOf(mask) <= most;
    const combinations = (await loadCombinations()).filter((mask) => fits(BigInt(mask)));
    const rated = combinations.map((mask) => engine.strength(core, mask));
    const known = [...new Set(rated.map((one) => one >> 16))].filter(Boolean).sort((a, b) => a - b);
    const { answers } = engine.table(core);
    const kinds = known.map((kind) => {
      const own = combinations.map((_, i) => i).filter((i) => rated[i] >> 16 === kind);
      const ends = [(i, j) => rated[i] < rated[j], (i, j) => rated[i] > rated[j]].map((isBeyond) => own.reduce((end, i) => (isBeyond(i, end) ? i : end)));
      const beats = known.filter((other) => answers[other] >> kind & 1).map((other) => facts.kinds[other]);
      return { kind: facts.kinds[kind], ends: ends.map((i) => engine.text(core, combinations[i])), beats };
    });
    const straights = facts.straights[fields.straights].filter((run) => fits(deck.parse([...run].map((rank) => rank + fields.suits[0]).join(' '))));
    const costs = facts.hands.map((text) => deck.parse(text)).filter(fits).map((hand) => [deck.format(hand), engine.penalty(core, hand)]);
    return { kinds, straights, costs };
  }

  #begin(rules, hands) {
    return new Big2Position(rules, this.engine.start(rules.core, hands));
  }

  /** Deal at random. */
  deal(rules) {
    return { position: this.#begin(rules, this.engine.deal(rules.core)), match: null };
  }

  next({ rules, winner }, match, isLast) {
    if (rules.fields.leads === 'lowest') return this.deal(rules);
    const leads = isLast ? 'winner' : String(winner);
    return this.deal(this.parseRules({ ...rules.fields, leads }));
  }

  sessionFields(fields) {
    return leaderOf({ fields }) === null ? fields : { ...fields, leads: 'winner' };
  }

  matchOf() {
    return null;
  }

  /** Return the deal of a code, or of `seed/number`; null if the text is neither. */
  findDeal(text, rules) {
    const given = seeded(text);
    const hands = given ? this.engine.deal(rules.core, streamOf(given)) : CODE.test(text) ? handsOfCode(text, rules.players).map(Number) : null;
    return hands && { position: this.#begin(rules, hands), match: null };
  }

  dealCode(position) {
    return codeOf(position.dealt);
  }

  /** Return a key of the deal of a record; '' if hands are unknown. */
  dealKey(record) {
    return record.hands.includes(null) ? '' : record.hands.join('|');
  }

  seatView(position, seat) {
    const { legal, kinds, view } = position;
    if (seat === null) return { ...view, hand: null, legal: null, kinds: null };
    const isMine = !position.isOver && position.player === seat;
    return { ...view, hand: position.handOf(seat), legal: isMine ? legal : [], kinds: isMine ? kinds : [] };
  }

  endView(position) {
    return { hands: position.hands.map((_, seat) => position.handOf(seat)) };
  }

  /** Return the position of a record, with all hands, or that of one seat. */
  positionView(position, seat, { seats }) {
    if (seat !== null && !position.isShown(seat)) throw new Refused(422, `the hand of seat ${seat} is unknown: choose another seat`);
    const isSeen = (other) => (seat === null ? position.isShown(other) : other === seat);
    const isShown = position.isOver || isSeen(position.player) || !position.hands[position.player];
    const hand = (other) => (isSeen(other) || !position.hands[other] ? position.handOf(other) : null);
    const moves = isShown ? { legal: position.isOver ? [] : position.legal, kinds: position.isOver ? [] : position.kinds } : { legal: null, kinds: null };
    return { ...position.view, hands: position.hands.map((_, other) => hand(other)), ...moves, seats: shownSeats(seats, position.rules.players) };
  }

  /** Return a record as a JSON object. */
  toRecord(position, extra) {
    const { rules, moves, isOver, isHidden, payoffs, given } = position;
    const hands = position.at(0).hands.map((hand, seat) => (position.isShown(seat) ? rules.deck.format(hand) : null));
    const { opener, view, before } = given ?? {};
    return ordered({ ...extra, big2: 1, rules: rules.json, hands, opener, view, before, moves, payoffs: isOver && !isHidden ? payoffs : null }, ['big2', ...ORDER]);
  }

  /** Read a record, checked by replaying it. Hidden cards are dealt at random. */
  async parseRecord(data) {
    checkFormat(data, 'big2', 1);
    const rules = this.parseRules(data.rules);
    const hands = listOf(data, 'hands', rules.players).map((text, seat) => (text === null ? null : rules.deck.parse(text, `hands[${seat}]`)));
    const before = data.before ? readBefore(data.before, rules) : null;
    if (data.moves === null && !before) throw new Refused(422, "moves is null: a position without moves needs 'before'");
    const texts = data.moves === null ? [] : listOf(data, 'moves');
    if (texts.length > MAX_MOVES) throw new Refused(422, `${texts.length} moves: a record has at most ${MAX_MOVES}`);
    const moves = texts.map((text, i) => (isPass(text) ? 0n : rules.deck.parse(text, `moves[${i}]`)));
    const first = before ? before.toMove : openerOf(data, hands, rules);
    const sizes = before ? before.left : hands.map((_, seat) => rules.fields.hand_size + (seat === first ? extraOf(rules) : 0));
    const gone = before ? union(before.played) : 0n;
    checkHands(hands, sizes, gone, rules);
    if (data.view !== undefined && data.view !== null && !hands[data.view]) throw new Refused(422, `view is ${shown(data.view)}, but the hand of seat ${shown(data.view)} is unknown`);
    const wentOn = before || (moves.length && countOf(moves[0]) < sizes[first]); // so nobody has won by the deal
    const hasWon = (hand, seat) => hands[seat] === null && winsByDeal(hand | (before?.played[seat] ?? 0n), rules);
    const start = (limits) => {
      let position = null;
      for (let i = 0; i < MOST_DEALS && !position; i += 1) {
        const dealt = dealHidden(hands, moves, first, sizes, gone, rules, limits);
        position = wentOn && dealt.some(hasWon) ? null : this.#start(rules, dealt, first, before, given);
      }
      return position;
    };
    const { opener, view } = data;
    const given = hands.includes(null) || before ? { isKnown: hands.map((hand) => hand !== null), opener, view, before: data.before } : null;
    const position = replayed(start, moves, hands.includes(null) ? TRIES : 1);
    if (position.isHidden) checkHiddenPayoffs(data.payoffs, position.winner, data, rules.players);
    else checkPayoffs(data.payoffs, position);
    return { position, seats: data.seats ?? null, extra: data };
  }

  /** Begin a game with some hands, or in its middle; null if another seat would open. */
  #start(rules, hands, first, before, given) {
    const core = this.engine.start(rules.core, hands.map(Number));
    if (!before && core.player !== first) return null;
    return new Big2Position(rules, given ? this.engine.restore(rules.core, { ...core.values, ...stateOf(before, core) }) : core, null, null, given);
  }

  /** Return a position with hands that are all known, as it is, or with the hidden cards as they were dealt. */
  async revealed(position) {
    if (!position.isHidden) return position;
    const { opener, view, ...record } = this.toRecord(position, {});
    const hands = position.at(0).hands.map((hand) => position.rules.deck.format(hand));
    return (await this.parseRecord({ ...record, hands })).position;
  }

  /** Return the values of the legal moves, graded, the best first. */
  async advise(position) {
    const { values, wins, calibration } = await evaluated(this.advisor, position);
    const moves = position.legal.map((move, i) => ({ move, kind: position.kinds[i], value: values[i], wins: wins[i] }));
    return { moves: graded(moves, calibration) };
  }

  /** Return estimates of the best moves, and of one that was played, by rollouts. */
  async look(position, played, onprogress) {
    const { moves } = await this.advise(position);
    const also = ({ move, alike }) => move === played || alike.includes(played);
    const found = await lookAt(position, DEALS, moves.filter((one, i) => i < LOOKED_AT || also(one)).map(({ move }) => move), onprogress);
    return { deals: DEALS, guessed: true, moves: found.map((one) => ({ ...one, mean: one.cards, mark: rolloutMark(found[0], one) })) };
  }

  adviceJson({ moves }) {
    return { calibrated: true, moves: moves.map(({ gap, ...one }) => one) };
  }

  reviewJson({ ply, seat, move, advice, chosen }) {
    const [best] = advice.moves;
    return { ply, seat, move, best: best.move, win: chosen.win, best_win: best.win, cards: chosen.cards, best_cards: best.cards, lost: chosen.lost, mark: chosen.mark };
  }

  worst(reviewed) {
    return costliest(reviewed);
  }

  payoff(payoffs, seat) {
    return payoffs[seat];
  }

  givenAway(reviewed, seat) {
    return givenAway(reviewed, seat);
  }
}

function isPass(text) {
  return typeof text === 'string' && text.trim().toLowerCase() === PASS;
}

/**
 * Return the position after some moves, from a start that deals hidden cards otherwise each time. If a single is refused,
 * that may be because a higher card has to be played, so the seat holds none from then on.
 */
function replayed(start, moves, tries) {
  const limits = Array(4).fill(NUM_CARDS);
  let failed = new Refused(422, 'the seat that opens cannot hold the lowest card in play, or a hidden hand would have won at once');
  for (let i = 0; i < tries; i += 1) {
    let position = start(limits);
    if (!position) break;
    try {
      for (const move of moves) position = played(position, move, position.ply);
      return position;
    } catch (error) {
      failed = error;
      const cards = cardsIn(moves[position.ply]);
      if (cards.length === 1) limits[position.player] = Math.min(limits[position.player], cards[0]);
    }
  }
  throw failed;
}

function played(position, cards, i) {
  const { rules, player } = position;
  const move = cards ? rules.deck.format(cards) : PASS;
  if (position.legal.includes(move)) return position.play(move);
  const held = position.isShown(player) ? `it holds ${position.handOf(player)}` : 'its hand is not known, but the move breaks the rules or shows cards that it cannot hold';
  const beat = position.table ? `the combination to beat is ${rules.deck.format(position.table)}` : 'there is nothing to beat';
  throw new Refused(422, `move ${i + 1}, ${move} by seat ${player}, is not legal: ${position.isOver ? `seat ${position.winner} has already won` : held}; ${beat}`);
}

/** Return the fields of the engine's state that differ from those at a deal. */
function stateOf(before, core) {
  if (!before) return {};
  const { played, table, by, passes, passed, toMove } = before;
  const beat = table ? core.strength(Number(table)) : 0;
  if (table && !beat) throw new Refused(422, `before: the table is ${shown(cardsIn(table))}, which is not a combination under these rules`);
  const { history, kinds } = core.values;
  return {
    player: toMove, played: core.values.played.map((_, seat) => Number(played[seat] ?? 0)), table: Number(table), beat, passes,
    passed: passed.reduce((bits, seat) => bits + 2 ** seat, 0), ply: table ? passes + 1 : played.length,
    history: history.map((_, i) => (i ? 0 : Number(table))), kinds: kinds.map((_, seat) => (table && seat === by ? 2 ** (beat >> 16) : 0)),
  };
}

// Deals in 18 characters, or 22 if four players leave cards out of play: a number whose digits are the seats of the cards.

function codeOf(hands) {
  const owners = Array(NUM_CARDS).fill(null);
  for (const [seat, hand] of hands.entries()) for (const card of cardsIn(hand)) owners[card] = seat;
  const base = hands.length < 4 || !owners.includes(null) ? 4 : 5;
  const number = owners.reduceRight((sum, owner) => sum * BigInt(base) + BigInt(owner ?? base - 1), 0n);
  const bytes = number.toString(16).padStart(base === 4 ? 26 : 32, '0').match(/../g).map((byte) => parseInt(byte, 16));
  return base64Of(bytes);
}

function handsOfCode(code, players) {
  const bytes = [...atob(code.replaceAll('-', '+').replaceAll('_', '/'))].map((letter) => letter.charCodeAt(0));
  let number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const base = code.length === SHORT ? 4n : 5n;
  const hands = Array(players).fill(0n);
  for (let card = 0; card < NUM_CARDS; card += 1) {
    const owner = Number(number % base);
    if (owner < players) hands[owner] |= maskOf([card]);
    number /= base;
  }
  const sizes = hands.map(countOf);
  if (Math.min(...sizes) === 0 || Math.max(...sizes) - Math.min(...sizes) >= players || codeOf(hands) !== code) throw new Refused(422, `'${code}' is not the code of a deal to ${players} players`);
  return hands;
}
