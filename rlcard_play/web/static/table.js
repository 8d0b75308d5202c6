/** Table screen: play or watch. */

import { AdvicePanel } from './advisor.js';
import { api } from './api.js';
import { asWon, happened, ownSeat, seats } from './board.js';
import { cardsOf, miniMove, spokenCards } from './cards.js';
import { Chooser } from './chooser.js';
import { Clock } from './clock.js';
import { button, enable, h, hold, isEnabled, panel, put } from './dom.js';
import { endPanel } from './end.js';
import { fly } from './flight.js';
import { game, useGame } from './game.js';
import { useKeys } from './keys.js';
import { line, announce, refusal } from './announcer.js';
import { seen, tricks } from './log.js';
import { helpTag, invitations, joinForm, settings } from './seating.js';
import { callName } from './people.js';
import { newlySaid, phrases } from './phrases.js';
import { preference } from './preferences.js';
import { rulesLink } from './rules.js';
import { scorePanel } from './score.js';
import { soundChange } from './sound.js';
import { Stream } from './stream.js';
import { t } from './strings.js';
import { waitingPanel } from './waiting.js';

const STAY = 1000; // milliseconds that a trick stays after it was won

/** Show a table; `seat` is that of an invitation. */
export async function showTable(root, id, seat) {
  const view = await api.view(id);
  await useGame(view.game);
  const screen = new TableScreen(id, seat);
  root.replaceChildren(screen.element);
  screen.show(view);
  screen.begin();
}

class TableScreen {
  constructor(id, seat) {
    Object.assign(this, { id, invited: seat, view: null });
    this.hintButton = button(t('button.hint'), () => this.hint(), { 'aria-keyshortcuts': 'h' });
    this.backButton = button(t('button.take back'), () => this.takeBack(), { 'aria-keyshortcuts': 'u' });
    this.chooser = new Chooser({
      onmove: (move) => this.move(move),
      why: async (move) => refusal(await api.why(this.id, move)),
      extra: [this.hintButton, this.backButton],
    });
    this.advice = new AdvicePanel(this.chooser, (...asked) => api.advice(this.id, ...asked));
    this.element = this.built();
  }

  built() {
    this.lost = h('p', { class: 'lost', role: 'alert', hidden: true });
    this.felt = h('div', { class: 'felt' });
    this.bottom = h('div', { class: 'bottom' });
    this.forced = h('div', { class: 'forced' });
    this.log = h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': t('log.title') });
    this.deck = h('div');
    this.deckTitle = h('summary');
    this.clock = new Clock();
    this.phrases = h('div');
    this.invite = h('div');
    this.settings = settings((press) => this.tell(api.settings(this.id, { press })), () => this.tell(api.leave(this.id)));
    this.score = h('div', { class: 'score-slot' });
    const moves = panel(t('log.title'), { class: 'moves' }, this.log, h('details', { class: 'seen' }, this.deckTitle, this.deck));
    return h('div', { class: 'table-screen' },
      h('div', { class: 'board' }, this.lost, this.felt, h('div', { class: 'news' }, line, this.clock.element), this.forced, this.bottom),
      h('aside', { class: 'side', 'aria-label': t('table.side') }, this.invite, this.phrases, this.advice.element, moves, this.chooser.aid?.element ?? '', this.score, this.settings.element));
  }

  begin() {
    this.stream = new Stream(this.id, (view) => this.show(view), (state) => this.connection(state));
    useKeys(this.keys());
    if (this.view.you !== null && preference('press', false)) this.tell(api.settings(this.id, { press: true }));
    if (this.view.you !== null && matchMedia('(hover: hover)').matches) this.chooser.hand.focus();
    scorePanel().then((element) => put(this.score, element), () => {}); // optional
  }

  keys() {
    const { chooser } = this;
    const picks = Object.fromEntries(['1', '2', '3', '4', '5'].map((key) => [key, () => this.advice.take(Number(key) - 1)]));
    return {
      ...picks,
      ...chooser.keys,
      ArrowLeft: () => chooser.hand.focus(),
      ArrowRight: () => chooser.hand.focus(),
      h: () => this.hint(),
      u: () => this.takeBack(),
      '/': () => this.view.over || chooser.entry.begin(),
      '.': () => this.describe(),
    };
  }

  /** Show a view unless a newer one is shown. */
  show(view) {
    const before = this.view;
    if (before && (view.version < before.version || (view.version === before.version && view.you === before.you))) return;
    this.view = view;
    soundChange(before, view, turnOf(view) === 'mine' && (turnOf(before ?? view) !== 'mine' || before?.ply < view.ply));
    Object.assign(this.element.dataset, { ply: view.ply, turn: turnOf(view) });
    put(document.getElementById('context'), rulesLink(view), helpTag(view));
    this.showFelt(before);
    put(this.log, tricks(view));
    this.log.scrollTop = this.log.scrollHeight;
    put(this.deckTitle, game.seenTitle(view));
    put(this.deck, seen(view));
    put(this.invite, invitations(view));
    put(this.phrases, phrases(view, (phrase) => this.tell(api.say(this.id, phrase))));
    if (before?.to_move === view.you && view.ply > before.ply && this.clock.isOut) [, this.late] = view.log[before.log.length];
    this.clock.show(view);
    this.settings.show(view);
    this.showBottom();
    this.advice.show(view);
    if (before?.ply !== view.ply || before.you !== view.you) announce(happened(before, view)); // the version also changes when advice is noted
    else if (newlySaid(before, view)) announce(newlySaid(before, view));
  }

  /** Show the felt; a trick that was just won stays for a while, unless the viewer moves, or the game is over. */
  showFelt(before) {
    const { view } = this;
    const grown = before ? view.log.slice(before.log.length) : [];
    const isWon = before && !view.over && game.ended(view) > game.ended(before);
    const isOn = view.over || view.ply < before?.ply || grown.some(([seat]) => seat === view.you);
    if (this.staying && !isWon && !isOn) return;
    clearTimeout(this.staying);
    const clear = () => {
      this.staying = null;
      this.drawFelt(this.view);
    };
    this.staying = isWon ? setTimeout(clear, STAY) : null;
    this.drawFelt(isWon ? asWon(view) : view);
  }

  drawFelt(view) {
    const done = Boolean(view.over || view.waiting);
    this.felt.classList.toggle('done', done);
    this.felt.classList.add(game.key);
    this.felt.classList.toggle('won', view.over?.payoffs[view.you] > 0);
    put(this.felt, view.over && h('h2', {}, game.headline(view)), game.facts(view), seats(view), game.middle(view), view.you === null || done ? null : ownSeat(view));
    const played = view.log.slice(this.drawn ?? view.log.length).filter(([, move]) => cardsOf(move).length);
    for (const [seat] of played) fly(this.felt, seat);
    this.drawn = view.log.length;
  }

  showBottom() {
    const { view } = this;
    put(this.forced, this.forcedPass());
    if (view.over) {
      const focused = this.bottom.contains(document.activeElement);
      put(this.bottom, endPanel(view)); // again when the mistakes are known
      if (focused && !this.bottom.contains(document.activeElement)) this.bottom.firstChild.focus();
      return;
    }
    if (view.you === null) {
      hold(this.bottom, this.guest());
      return;
    }
    if (view.waiting) {
      put(this.bottom, waitingPanel(view, (answer) => this.tell(answer)));
      return;
    }
    const name = view.to_move === null ? null : callName(view, view.to_move);
    this.chooser.show(view, name && view.to_move !== view.you ? t('button.wait for', { name }) : '');
    enable(this.hintButton, view.practice && view.legal.length > 1);
    enable(this.backButton, view.practice && isAlone(view) && view.log.some(([seat]) => seat === view.you));
    hold(this.bottom, this.chooser.element);
  }

  forcedPass() {
    const { view } = this;
    if (this.late) return h('p', { role: 'alert' }, t('clock.out'), ' ', miniMove(this.late));
    if (view.over || view.auto === null || view.auto === undefined) return null;
    const progress = h('span', { class: 'progress' });
    progress.style.setProperty('--seconds', `${view.auto}s`);
    return h('p', {}, t('table.forced'), progress);
  }

  /** The form to join for spectators, if a seat is open. */
  guest() {
    const open = this.view.seats.findIndex((seat, i) => seat.open && (this.invited === null || i === this.invited));
    if (open < 0) return (this.watching ??= h('p', { class: 'quiet center' }, t('table.watching')));
    this.form ??= joinForm(async (name) => {
      const { view } = await api.sit(this.id, { seat: open, name });
      history.replaceState(null, '', `?table=${this.id}`);
      this.stream.open(); // with the new cookie
      this.show(view);
      this.chooser.hand.focus();
    });
    return this.form;
  }

  connection(state) {
    this.lost.hidden = state === 'open';
    if (state !== 'open') put(this.lost, t(`connection.${state}`));
  }

  /** Make a move; after a conflict, show the current view. */
  async move(move) {
    const retold = (error) => (error.status === 409 ? api.view(this.id) : Promise.reject(error));
    this.late = null;
    this.clock.stop();
    await this.tell(api.move(this.id, this.view.ply, move).catch(retold));
  }

  takeBack() {
    if (isEnabled(this.backButton) && !this.view.over) this.tell(api.takeBack(this.id, this.view.ply));
  }

  /** Show the server's view, or announce its error. */
  async tell(answer) {
    try {
      this.show(await answer);
    } catch (error) {
      announce(error.message);
    }
  }

  /** Select the cards of the best move. */
  async hint() {
    if (!isEnabled(this.hintButton) || this.view.over) return;
    const best = await this.advice.best();
    if (best) this.chooser.suggest(best.move);
  }

  /** Read the table aloud. */
  describe() {
    const { view } = this;
    const counts = view.left.map((n, seat) => (seat === view.you ? '' : t('say.left', { name: callName(view, seat), n })));
    const own = cardsOf(view.hand).length ? t('say.hand', { cards: spokenCards(view.hand) }) : '';
    announce([...counts, game.summary(view), own].filter(Boolean).join(' '));
  }
}

/** Return 'over', 'mine' if the user must act, or 'other'. */
function turnOf(view) {
  if (view.over) return 'over';
  return view.legal?.length && (view.auto === null || view.legal.length > 1) ? 'mine' : 'other';
}

/** Whether all other players are agents. */
function isAlone(view) {
  return view.seats.every((seat, i) => i === view.you || seat.agent);
}
