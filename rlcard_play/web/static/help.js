/** Help: how to play, keyboard shortcuts, and colours of the page, the felt and the backs. */

import { button, h } from './dom.js';
import { preference, prefer } from './preferences.js';
import { t } from './strings.js';

const KEYS = [['← → ↑ ↓', 'walk'], ['Space', 'select'], ['Enter', 'play'], ['C', 'walk through'], ['P', 'pass'], ['H', 'hint'], ['1 – 5', 'take'], ['U', 'back'], ['Esc', 'clear'],
  ['/', 'type'], ['.', 'read'], ['N  B', 'mistakes'], ['?', 'help']];
const COLOURS = { theme: ['auto', 'light', 'dark'], felt: ['green', 'blue'], back: ['blue', 'red'] }; // the first of each at first

/** Open the help. */
export function showHelp() {
  const keys = h('input', { type: 'checkbox', checked: preference('keys', true), onchange: () => prefer('keys', keys.checked) });
  const dialog = h('dialog', { class: 'help', 'aria-labelledby': 'help-title', onclose: () => dialog.remove() },
    h('h2', { id: 'help-title' }, t('help.title')),
    ...['help.goal', 'help.select', 'help.pass', 'help.values'].map((key) => h('p', {}, t(key))),
    h('h3', {}, t('help.keys')),
    h('dl', { class: 'keys' }, ...KEYS.map(([key, name]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, t(`key.${name}`))))),
    h('label', { class: 'check' }, keys, t('help.single keys')),
    ...Object.keys(COLOURS).map(choice),
    button(t('help.close'), () => dialog.close(), { class: 'primary' }));
  document.body.append(dialog);
  dialog.showModal();
}

function choice(kind) {
  const field = h('select', { onchange: () => {
    prefer(kind, field.value);
    useTheme();
  } }, ...COLOURS[kind].map((name) => h('option', { value: name, selected: name === chosen(kind) }, t(`look.${name}`))));
  return h('label', { class: 'check' }, t(`look.${kind}`), ' ', field);
}

function chosen(kind) {
  return preference(kind, COLOURS[kind][0]);
}

/** Apply the chosen colours; those of the page are the system's unless others are chosen. */
export function useTheme() {
  for (const kind of Object.keys(COLOURS)) document.documentElement.dataset[kind] = chosen(kind);
}
