/** Second try: a position of a recorded game, with the best move hidden until the user chooses. */

import { studied } from './advice.js';
import { api } from './api.js';
import { Chooser } from './chooser.js';
import { miniMove } from './cards.js';
import { button, h, put } from './dom.js';
import { game, useGame } from './game.js';
import { useKeys } from './keys.js';
import { line, announce, refused } from './announcer.js';
import { asView, table } from './position.js';
import { preference } from './preferences.js';
import { t } from './strings.js';

/** Show a position of a recorded game. */
export async function showRetry(root, id, ply) {
  const [record, options] = await Promise.all([api.record(id), api.options()]);
  const found = await api.analyse({ record, ply });
  await useGame(found.game);
  const choice = found.choices.find((one) => one.ply === ply);
  const view = asView(found.position, found.to_move);
  const answer = h('div', { class: 'answer' });
  const chooser = new Chooser({ onmove: (move) => reveal(move), why: refused });
  const reveal = (move) => {
    const look = (onprogress) => api.analyse({ record, ply, deep: true, move }, onprogress);
    put(answer, h('h2', {}, t('try.answer')),
      studied(found, move, look, (one, best) => announce(game.verdict(one, best, view))),
      choice && h('p', { class: 'quiet' }, t('try.in the game'), ' ', miniMove(choice.move)),
      h('div', { class: 'controls' }, button(t('try.continue'), () => playOn(record, options, ply, found.to_move, move), { class: 'primary' }),
        button(t('try.other'), () => begin()), h('a', { class: 'button', href: `?record=${id}&ply=${ply}` }, t('end.replay'))));
  };
  const begin = () => {
    put(answer);
    announce(t('try.choose'));
    chooser.show(view);
    chooser.hand.focus();
  };
  root.replaceChildren(h('div', { class: 'study' }, h('h2', {}, t('try.title', { n: ply + 1 })), table(view), line, chooser.element, answer));
  useKeys(chooser.keys);
  begin();
}

/** Start a table at the position, against agents, and make the chosen move; who watches leaves the seat to an agent. */
export async function playOn(record, options, ply, seat, move, watches = false) {
  try {
    const known = record.seats ?? [];
    const { agents, advisor } = options.games.find((one) => one.game === game.key);
    const seats = (record.hands ?? record.deal.hands).map((_, i) => (i === seat ? 'me' : agents.includes(known[i]?.name) ? known[i].name : advisor));
    const name = preference('name', '') || undefined;
    const { table: id, view } = await api.open({ game: game.key, seats, practice: true, name, deal: { record, ply } });
    await api.move(id, view.ply, move);
    if (watches) await api.leave(id);
    location.assign(`?table=${id}`);
  } catch (error) {
    announce(error.message);
  }
}
