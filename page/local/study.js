/** Studies of games: analysis of recorded and pasted ones, puzzles, and the score against the agent on the same deals. */

import { loadJson } from './data.js';
import { CACHED, MOST_POINTS, PART, SEED } from './data/constants.js';
import { drawsOf, streamOf } from './engine.js';
import { parsed } from './record.js';
import { Refused, shown } from './refused.js';
import { estimated } from './statistics.js';

const ADDRESS = /[?&](table|record)=([A-Za-z0-9_-]{1,64})/;

export class Studies {
  /**
   * @param games by key
   * @param archive of finished games
   * @param store of results
   * @param lobby of the tables
   */
  constructor(games, archive, store, lobby) {
    Object.assign(this, { games, archive, store, lobby, reviews: new Map() });
  }

  /** Return a position of a game, with the values of its moves. */
  async analyse({ text, record, position, game: number, ply, seat = null, deep = false, confirm = false, move = null }, onprogress) {
    const { played, found } = record || position ? await this.#parsed(record ?? position) : await this.#pasted(text.trim(), number);
    const at = ply === undefined || ply === null ? found.position : found.position.at(ply);
    const view = played.positionView(at, seat, found);
    const review = this.#reviewOf(played, found.position);
    const reviewed = await review.moves;
    if (confirm) await this.#confirm(review, played, found.position, onprogress);
    const values = { moves: [] };
    if (deep && !view.legal?.length) refuse('deep needs a position in which the hand of the seat to move is shown');
    if (view.legal?.length) {
      const advice = reviewed.find((one) => one.ply === at.ply)?.advice ?? await played.advise(at);
      Object.assign(values, played.adviceJson(advice), await played.lookJson(at, deep, move ?? reviewed.find((one) => one.ply === at.ply)?.move, onprogress));
    }
    const choices = reviewed.map((one) => played.reviewJson(one));
    for (const one of choices.filter(({ ply: made }) => review.refuted.has(made))) withdraw(one, one.ply === at.ply ? values.moves : []);
    return {
      game: played.key, record: found.record, plies: found.position.ply, ply: at.ply, seat, to_move: view.to_move, position: view,
      ...values, agent: played.advisor, choices,
    };
  }

  async #parsed(data) {
    const played = await this.archive.playedOf(data).ready();
    return { played, found: { ...await played.parseRecord(data), record: data } };
  }

  /** Return the game or position of a text: JSON, several lines of it, the address of a game, seed/number or a deal code. */
  async #pasted(text, number) {
    if (text.startsWith('{')) return this.#parsed(chosenLine(text, number));
    const address = ADDRESS.exec(text);
    if (address?.[1] === 'record') return this.#parsed(await this.archive.read(address[2]));
    if (address) return this.#parsed((await this.lobby.find(address[2])).record());
    for (const one of Object.values(this.games)) {
      const played = await one.ready();
      const found = played.findDeal(text, played.parseRules(played.defaultRules));
      if (found) return this.#parsed(played.toRecord(found.position, {}));
    }
    throw new Refused(422, `${shown(text)} is not a game: paste a record or position as JSON, seed/number, a deal code, or the address of a game`);
  }

  /** Return the review of a game: a promise of the reviewed moves, and the plies of marks that rollouts refute. */
  #reviewOf(played, position) {
    const key = JSON.stringify(played.toRecord(position, {}));
    if (!this.reviews.has(key)) this.reviews.set(key, { moves: played.review(position), refuted: new Set(), checked: null });
    if (this.reviews.size > CACHED) this.reviews.delete(this.reviews.keys().next().value);
    return this.reviews.get(key);
  }

  /** Have rollouts check the marks of a game, once. */
  async #confirm(review, played, position, onprogress) {
    const marked = (await review.moves).filter((one) => played.reviewJson(one).mark);
    review.checked ??= played.confirmed(position, marked, onprogress);
    review.checked.catch(() => { review.checked = null; }); // to be tried again
    const confirmed = await review.checked;
    review.refuted = new Set(marked.filter((one) => !confirmed.includes(one)).map(({ ply }) => ply));
  }

  // Puzzles: the positions, answers and values come from Python, when the page is built.

  async puzzles(game) {
    return { puzzles: await loadJson(`puzzles.${this.#key(game)}`), cursor: null };
  }

  async puzzle(id) {
    const { game, position } = await this.#puzzle(id);
    return { id, game, position };
  }

  async solve(id, move) {
    const { answer, right, position } = await this.#puzzle(id);
    if (!position.legal.includes(move)) throw new Refused(422, `'${move}' is not legal in this position`);
    return { ...answer, right: right.includes(move) };
  }

  async #puzzle(id) {
    for (const key of Object.keys(this.games)) {
      const place = (await loadJson(`puzzles.${key}`)).findIndex((one) => one.id === id);
      if (place >= 0) return { game: key, ...(await loadJson(`puzzles.${key}.${Math.floor(place / PART)}`))[place % PART] };
    }
    throw new Refused(404, 'there is no such puzzle');
  }

  #key(game) {
    if (!Object.hasOwn(this.games, game)) throw new Refused(422, `game is ${shown(game)}: choose from ${Object.keys(this.games).join(', ')}`);
    return game;
  }

  // The score: the agent plays the person's deals in the person's seat.

  async score() {
    const groups = new Map();
    const seen = new Set();
    for (const record of await this.archive.all()) {
      const one = await this.#judged(record, seen);
      if (!one) continue;
      const key = JSON.stringify(one.conditions);
      groups.set(key, [...groups.get(key) ?? [], one]);
    }
    const found = [...groups.values()].map(summary);
    return { groups: found, agents: Object.fromEntries(Object.values(this.games).map(({ key, advisor }) => [key, advisor])) };
  }

  /** Return what an agent wins in the first seat of a deal, by some rules, among advisors; its draws are those of one seed. */
  async result({ game, rules, deal, agent }) {
    const played = await this.games[this.#key(game)].ready();
    if (!played.agents.includes(agent)) refuse(`agent is ${shown(agent)}: choose from ${played.agents.join(', ')}`);
    const given = played.findDeal(deal, played.parseRules(rules)) ?? refuse(`${shown(deal)} is not a deal: expected seed/number or a deal code`);
    const streams = drawsOf(streamOf({ seed: SEED, number: 0 }));
    let at = given.position.at(0);
    while (!at.isOver) at = at.play(await (at.player === 0 ? played.drawn(agent, at, streams) : played.choose(played.advisor, at)));
    return { payoff: played.payoff(at.payoffs, 0) };
  }

  /** Return the result of a game of the person, and its conditions; null if it does not count. */
  async #judged(record, seen) {
    const played = this.archive.playedOf(record);
    const people = record.seats.flatMap(({ kind }, seat) => (kind === 'person' ? [seat] : []));
    if (people.length !== 1 || record.first_time === false || !record.payoffs) return null;
    const [seat] = people;
    const deal = `${JSON.stringify(record.rules)} ${played.dealKey(record)} ${seat}`;
    const names = record.seats.map(({ name }) => name);
    const opponents = [...names.slice(seat + 1), ...names.slice(0, seat)];
    if (seen.has(deal) || opponents.some((name) => !played.agents.includes(name))) return null;
    seen.add(deal);
    await played.ready();
    const rules = await this.archive.attempt(() => played.parseRules(played.sessionFields(record.rules)));
    const result = rules && await this.#result(played, record, seat);
    return result && { conditions: { game: played.key, rules: rules.json, title: rules.title, opponents, aided: Boolean(record.help) }, ...result };
  }

  /** Return the result of a seat; null if the record is not that of a game. */
  async #result(played, record, seat) {
    const key = `${record.id} ${played.version}`;
    const known = await this.store.get('results', key); // earlier versions kept less
    if (known) return known;
    const read = await this.archive.attempt(() => played.parseRecord(record));
    if (!read) return null;
    const { position } = read;
    let at = position.at(0);
    while (!at.isOver) at = at.play(await played.choose(at.player === seat ? played.advisor : record.seats[at.player].name, at));
    const lost = played.givenAway(await this.#reviewOf(played, position).moves, seat);
    const payoff = played.payoff(record.payoffs, seat);
    const won = payoff > 0 && record.payoffs[seat] === Math.max(...record.payoffs);
    const found = { payoff, won, agent: played.payoff(at.payoffs, seat), lost };
    await this.store.put('results', key, found);
    return found;
  }
}

/** Return the record in one line of several, by its number from 1; a record may also span lines. */
function chosenLine(text, number = null) {
  const lines = text.split('\n').filter((line) => line.trim());
  const isOne = lines.length === 1 || parsed(lines[0]) === undefined;
  if (isOne) return parsed(text) ?? refuse('it is not valid JSON');
  if (number === null) refuse(`there are ${lines.length} games: choose one by its number, "game": 1`);
  if (!(number >= 1 && number <= lines.length)) refuse(`there is no game ${number}: choose one from 1 to ${lines.length}`);
  return parsed(lines[number - 1]) ?? refuse(`line ${number} is not valid JSON`);
}

function refuse(sentence) {
  throw new Refused(422, sentence);
}

function summary(group) {
  const payoffs = group.map(({ payoff }) => payoff);
  const agents = group.map(({ agent }) => agent);
  const lost = group.map((one) => one.lost).filter((one) => one !== null);
  const counts = [...new Set(Array.from({ length: MOST_POINTS }, (_, i) => Math.round(1 + i * (group.length - 1) / (MOST_POINTS - 1))))];
  const sum = (values, count) => values.slice(0, count).reduce((total, value) => total + value, 0);
  return {
    ...group[0].conditions, games: group.length, won: group.filter(({ won }) => won).length,
    payoff: estimated(payoffs), agent: estimated(agents), difference: estimated(payoffs.map((payoff, i) => payoff - agents[i])),
    given_away: lost.length ? estimated(lost) : null, curve: counts.map((count) => [count, sum(payoffs, count), sum(agents, count)]),
  };
}

/** Remove the mark of a choice, and of the move in a list that it is of. */
function withdraw(choice, moves) {
  choice.mark = '';
  for (const one of moves) if (one.mark && [one.move, ...one.alike].includes(choice.move)) one.mark = '';
}
