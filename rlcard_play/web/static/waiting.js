/** Before the start of a table: who sits where and is ready, and how others join. */

import { api } from './api.js';
import { button, enable, h } from './dom.js';
import { placeName, playerName } from './people.js';
import { copyLine, goToTable } from './seating.js';
import { t } from './strings.js';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * Draw the table before its start.
 *
 * @param view of a person
 * @param tell takes a promise of the next view
 */
export function waitingPanel(view, tell) {
  const { seats, you, waiting: { host, code, ready } } = view;
  const open = seats.filter((seat) => seat.open).length;
  const start = button(t('wait.start'), () => open || tell(api.start(view.table, false)), { class: 'primary' });
  enable(start, !open);
  return h('section', { class: 'panel waiting', 'aria-label': t('wait.title') }, h('h2', {}, t('wait.title')),
    h('ul', { class: 'sitting' }, ...seats.map((seat, i) => h('li', {}, h('strong', {}, placeName(view, i)), h('span', {}, playerName(view, i)), mark(i === host, seat.agent || ready.includes(i))))),
    h('div', { class: 'controls' },
      button(t(ready.includes(you) ? 'wait.not ready' : 'wait.ready'), () => tell(api.settings(view.table, { ready: !ready.includes(you) }))),
      you === host && start, you === host && open > 0 && button(t('wait.fill'), () => tell(api.start(view.table, true)))),
    you === host ? null : h('p', { class: 'quiet' }, t('wait.host', { name: playerName(view, host) })),
    code && joining(view.table, code));
}

function mark(isHost, isReady) {
  const words = [isHost && t('wait.is host'), isReady && t('wait.is ready')].filter(Boolean);
  return h('span', { class: 'quiet' }, words.join(' · '));
}

function joining(table, code) {
  return h('div', { class: 'joining' },
    h('div', {}, h('p', {}, t('wait.code')), h('p', { class: 'code' }, code), copyLine(t('wait.link'), `?table=${table}`),
      LOOPBACK.test(location.hostname) && h('p', { class: 'quiet' }, t('wait.only here'))),
    h('img', { class: 'qr', src: `api/tables/${table}/qr`, width: 164, height: 164, alt: t('wait.qr') }));
}

/** Return the form to find a table by its code. */
export function codeForm() {
  const code = h('input', { name: 'code', maxlength: 6, size: 8, autocomplete: 'off', autocapitalize: 'characters', spellcheck: 'false' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const submit = (event) => {
    event.preventDefault();
    goToTable(api.byCode(code.value.trim()), problem);
  };
  return h('form', { class: 'panel code-form', onsubmit: submit }, h('label', { class: 'field' }, h('span', {}, t('join.by code')), code),
    button(t('join.sit'), null, { type: 'submit' }), problem);
}
