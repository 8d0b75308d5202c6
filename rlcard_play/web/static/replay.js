/** Replay of a recorded game or pasted position, with the values of the moves. */

import { deepened, lookButton, valueList } from './advice.js';
import { api } from './api.js';
import { button, enable, h, isEnabled, panel, put, svg } from './dom.js';
import { game, useGame } from './game.js';
import { graph } from './graph.js';
import { useKeys } from './keys.js';
import { line, announce } from './announcer.js';
import { seen, tricks } from './log.js';
import { asView, hands } from './position.js';
import { callName, playerName } from './people.js';
import { copyLine } from './seating.js';
import { shareButtons } from './share.js';
import { t } from './strings.js';
import { isAlone } from './transport.js';

const SPEEDS = { slow: 2500, medium: 1200, fast: 500 }; // milliseconds per move
const PAUSE = 60; // before asking the server, while the slider moves
const ICONS = {
  first: 'M4 3H6V17H4ZM17 3V17L7 10Z', back: 'M15 3V17L5 10Z', play: 'M5 3V17L17 10Z', pause: 'M4 3H8V17H4ZM12 3H16V17H12Z',
  forward: 'M5 3V17L15 10Z', last: 'M14 3H16V17H14ZM3 3V17L13 10Z',
};

/** Show a recorded game at a ply. */
export async function showReplay(root, id, ply) {
  const record = await api.record(id);
  await showGame(root, await api.analyse(ply === null ? { record, ply: 0 } : { record, ply }), id);
}

/** Show an analysed game. */
export async function showGame(root, found, id = null) {
  await useGame(found.game);
  const screen = new ReplayScreen(found, id);
  root.replaceChildren(screen.element);
  useKeys(screen.keys());
  screen.show(found);
  screen.confirm();
}

class ReplayScreen {
  constructor(found, id) {
    Object.assign(this, { id, record: found.record, plies: found.plies, ply: found.ply, seat: null, known: new Map(), marks: new Map(), timer: null });
    this.found = found;
    this.own = found.record.you ?? Math.max(0, found.record.seats?.findIndex(({ kind }) => kind === 'person') ?? found.choices[0]?.seat ?? 0);
    this.element = this.built(found);
  }

  built(found) {
    this.felt = h('div', { class: `felt replay-felt ${game.key}` });
    this.slider = h('input', { type: 'range', min: 0, max: this.plies, value: this.ply, 'aria-label': t('replay.slider'), oninput: () => this.go(Number(this.slider.value)) });
    this.place = h('output', { class: 'place-of' });
    this.steps = {
      first: step('first', () => this.go(0)),
      back: step('back', () => this.go(this.ply - 1)),
      play: button('', () => this.toggle(), { class: 'icon-text' }),
      forward: step('forward', () => this.go(this.ply + 1)),
      last: step('last', () => this.go(this.plies)),
    };
    this.speed = select('replay.speed', Object.keys(SPEEDS).map((name) => [name, t(`speed.${name}`)]), () => this.running() && this.run(), 'medium');
    this.viewer = select('replay.view', [['', t('replay.all')], ...found.position.seats.map((_, seat) => [String(seat), `${t('seat.number', { n: seat + 1 })}: ${playerName({ ...found.position, me: found.record.you }, seat)}`])],
      () => this.look());
    this.mistakes = [button(t('replay.previous mistake'), () => this.mistake(-1)), button(t('replay.next mistake'), () => this.mistake(1))];
    this.values = h('div');
    this.checking = h('div');
    this.graph = h('div');
    this.log = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('log.title') });
    this.deckTitle = h('summary');
    this.deck = h('div');
    return h('div', { class: 'table-screen replay' },
      h('div', { class: 'board' }, this.felt, line,
        h('div', { class: 'player-controls' }, h('div', { class: 'slide' }, this.slider, this.place),
          h('div', { class: 'controls steps' }, ...Object.values(this.steps)), h('div', { class: 'controls' }, ...this.mistakes), h('div', { class: 'choices' }, this.viewer.label, this.speed.label))),
      h('aside', { class: 'side', 'aria-label': t('replay.side') },
        panel(t('replay.values'), { class: 'advice', open: true }, this.values, this.checking), panel(t('graph.title'), { open: true }, this.graph),
        panel(t('log.title'), { class: 'moves' }, this.log, h('details', { class: 'seen' }, this.deckTitle, this.deck)),
        h('section', { class: 'panel' }, shareButtons(() => this.record, () => this.ply), this.id && !isAlone && copyLine(t('link.replay'), `?record=${this.id}`))));
  }

  keys() {
    const move = (step) => () => this.go(this.ply + step);
    return { ArrowLeft: move(-1), ArrowRight: move(1), Home: () => this.go(0), End: () => this.go(this.plies), ' ': () => this.toggle(),
      n: () => this.mistake(1), b: () => this.mistake(-1) };
  }

  running() {
    return this.timer !== null;
  }

  toggle() {
    if (this.running()) this.stop();
    else if (this.ply < this.plies) this.run();
    this.paintControls();
  }

  run() {
    this.stop();
    this.timer = setInterval(() => (this.ply < this.plies ? this.step(this.ply + 1) : this.stop()), SPEEDS[this.speed.field.value]);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.paintControls();
  }

  /** Go to a ply, and stop playback. */
  go(ply) {
    this.stop();
    this.step(ply);
  }

  step(ply) {
    this.ply = Math.min(Math.max(ply, 0), this.plies);
    this.paintControls();
    this.ask();
  }

  look() {
    this.seat = this.viewer.field.value === '' ? null : Number(this.viewer.field.value);
    this.ask();
  }

  /** What is shown: a position, to somebody. */
  get key() {
    return `${this.ply} ${this.seat}`;
  }

  /** Show the position, requesting it unless cached. */
  async ask(deep = false, onprogress = undefined) {
    const { key } = this;
    if (!deep && this.known.has(key)) return this.show(this.known.get(key));
    if (!deep) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (key !== this.key) return undefined;
    try {
      const found = await api.analyse({ record: this.record, ply: this.ply, seat: this.seat, deep }, onprogress);
      if (deep) this.regrade(found);
      if (!this.known.get(key)?.deep) this.known.set(key, found);
      if (key === this.key) this.show(this.known.get(key));
    } catch (error) {
      announce(error.message);
    }
    return undefined;
  }

  /** Keep the mark that a deep analysis gives the move that was made. */
  regrade(found) {
    const choice = this.choice(found);
    const made = choice && deepened(found).moves.find((one) => one.move === choice.move || one.alike.includes(choice.move));
    if (made && found.deep.moves[0].mark !== undefined) this.marks.set(choice.ply, made.mark);
  }

  /** Have the grades confirmed by rollouts, and withdraw those that they refute. */
  async confirm() {
    const count = (choices) => choices.filter((one) => one.mark).length;
    if (!count(this.found.choices)) return;
    const bar = h('progress', { max: 1 });
    put(this.checking, h('label', { class: 'checking quiet' }, t('replay.checking'), bar));
    try {
      const { choices } = await api.analyse({ record: this.record, ply: this.ply, confirm: true }, (share) => { bar.value = share; });
      if (count(choices) === count(this.found.choices)) return;
      this.known.forEach((found, key) => (found.deep ? Object.assign(found, { choices }) : this.known.delete(key)));
    } catch {
      return; // the grades stay as they are
    } finally {
      put(this.checking);
    }
    this.ask();
  }

  show(found) {
    this.found = found;
    for (const one of found.choices) one.mark = this.marks.get(one.ply) ?? one.mark;
    const view = { ...asView(found.position, this.seat), me: this.record.you };
    put(this.felt, game.facts(view), hands(view, found.position), game.middle(view));
    put(this.log, tricks(view, (ply) => this.go(ply), this.ply - 1));
    put(this.deckTitle, game.seenTitle(view));
    put(this.deck, seen(view));
    put(this.graph, graph(found, this.ply, this.seat ?? this.own, (seat) => callName(view, seat), (ply) => this.go(ply)));
    put(this.values, this.valueLines(found));
    this.paintControls();
    if (this.id) history.replaceState(null, '', `?record=${this.id}&ply=${this.ply}`);
    announce(this.sentence(view));
  }

  valueLines(found) {
    if (!found.moves?.length) return h('p', { class: 'quiet' }, t(found.to_move === null ? 'replay.over' : 'replay.unknown'));
    const choice = this.choice(found);
    const deep = found.deep ? null : lookButton((onprogress) => this.ask(true, onprogress));
    return h('div', {}, ...valueList(deepened(found), null, choice?.move ?? null), h('div', { class: 'panel-foot' }, deep,
      h('details', { class: 'meaning' }, h('summary', {}, t('advice.what')), h('p', {}, t('advice.meaning')))));
  }

  choice(found) {
    return found.choices.find((one) => one.ply === this.ply);
  }

  sentence(view) {
    const before = view.log[view.log.length - 1];
    const mover = view.to_move === null ? t('replay.over') : t('replay.to move', { name: callName(view, view.to_move) });
    return before ? `${game.played(view, ...before)} ${mover}` : mover;
  }

  marked() {
    return this.found.choices.filter((one) => one.mark && (this.seat === null || one.seat === this.seat)).map((one) => one.ply);
  }

  mistake(step) {
    const [backward, forward] = this.mistakes;
    if (!isEnabled(step < 0 ? backward : forward)) return;
    const marked = this.marked();
    this.go(step > 0 ? marked.find((ply) => ply > this.ply) : marked.findLast((ply) => ply < this.ply));
  }

  paintControls() {
    const { first, back, play, forward, last } = this.steps;
    const marked = this.marked();
    for (const one of [first, back]) enable(one, this.ply > 0);
    for (const one of [forward, last]) enable(one, this.ply < this.plies);
    enable(this.mistakes[0], marked.some((ply) => ply < this.ply));
    enable(this.mistakes[1], marked.some((ply) => ply > this.ply));
    const state = this.running() ? 'pause' : 'play';
    put(play, icon(state), t(`replay.${state}`));
    this.slider.value = this.ply;
    put(this.place, t('replay.ply', { n: this.ply, all: this.plies }));
  }
}

function icon(name) {
  return svg('svg', { class: 'icon', viewBox: '0 0 20 20', 'aria-hidden': 'true' }, svg('path', { d: ICONS[name] }));
}

function step(name, onclick) {
  return button(icon(name), onclick, { 'aria-label': t(`replay.${name}`) });
}

function select(key, choices, onchange, chosen = '') {
  const field = h('select', { onchange }, ...choices.map(([value, text]) => h('option', { value, selected: value === chosen }, text)));
  return { field, label: h('label', {}, t(key), ' ', field) };
}
