/** Joining, invitations, and table settings. */

import { button, h, panel } from './dom.js';
import { preference, prefer } from './preferences.js';
import { chime } from './sound.js';
import { t } from './strings.js';
import { isAlone } from './transport.js';

/** Go to the table of an answer; if there is none, say why in a line. */
export function goToTable(answer, problem) {
  answer.then(({ table }) => location.assign(`?table=${table}`)).catch(({ message }) => { problem.textContent = message; });
}

/** Return the form to join a table. */
export function joinForm(sit) {
  const name = nameField();
  const problem = h('p', { class: 'problem', role: 'alert' });
  const submit = async (event) => {
    event.preventDefault();
    prefer('name', name.value);
    await sit(name.value || undefined).catch((error) => { problem.textContent = error.message; });
  };
  return h('form', { class: 'join', onsubmit: submit }, h('h2', {}, t('join.title')), h('label', {}, t('new.name'), name),
    button(t('join.sit'), null, { type: 'submit', class: 'primary' }), problem);
}

/** Return the field for the user's name. */
export function nameField() {
  return h('input', { name: 'name', maxlength: 40, autocomplete: 'nickname', value: preference('name', '') });
}

/** List invitation links to open seats. */
export function invitations(view) {
  const open = view.you === null ? [] : view.seats.flatMap((seat, i) => (seat.open ? [i] : []));
  if (!open.length || view.over || view.waiting) return null;
  return h('section', { class: 'panel invite' }, h('h2', {}, t('invite.title')),
    ...open.map((seat) => copyLine(t('invite.seat', { n: seat + 1 }), `?table=${view.table}&seat=${seat}`)));
}

/** Return a link with a copy button. */
export function copyLine(label, path) {
  return h('div', { class: 'copy-line' }, h('span', { class: 'label' }, label), ...copying(label, new URL(path, location.href).href, t('link.copy')));
}

/** Return a field with text, the button that copies it, and its status. */
export function copying(label, text, name, attributes = {}) {
  const field = h('input', { class: 'address', readonly: true, value: text, 'aria-label': label, onfocus: () => field.select() });
  const copied = h('span', { class: 'copied', role: 'status' });
  const copy = async () => {
    await copyText(text, field);
    copied.textContent = t('link.copied');
  };
  return [field, button(name, copy, attributes), copied];
}

/** Copy text; the clipboard API needs a secure context, so select the text otherwise. */
export async function copyText(text, field) {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text).catch(() => field?.select());
  } else {
    field?.select();
    document.execCommand('copy');
  }
}

/** Return the panel of table settings. */
export function settings(onpress, onleave) {
  const press = h('input', { type: 'checkbox', checked: preference('press', false), onchange: () => {
    prefer('press', press.checked);
    onpress(press.checked);
  } });
  const sound = h('input', { type: 'checkbox', checked: preference('sound', false), onchange: () => {
    prefer('sound', sound.checked);
    chime('turn');
  } });
  const leave = button(t('table.leave'), onleave);
  const watch = h('div');
  const mine = h('div', {}, h('label', { class: 'check' }, press, t('table.press')), h('label', { class: 'check' }, sound, t('table.sound')), leave);
  const element = panel(t('table.title'), { class: 'table-settings', open: false }, watch, mine);
  const show = (view) => {
    if (!isAlone && !watch.firstChild) watch.append(copyLine(t('link.watch'), `?table=${view.table}`));
    mine.hidden = view.you === null || Boolean(view.over);
  };
  return { element, show };
}

/** Say who has advice, where that is a question: nobody, or all people of a table with several. */
export function helpTag(view) {
  const isShared = view.seats.filter((seat) => !seat.agent).length > 1;
  return (isShared || !view.practice) && h('span', { class: 'tag' }, t(view.practice ? 'table.helped' : 'table.strict'));
}
