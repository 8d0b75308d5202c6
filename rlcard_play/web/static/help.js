/** Help: how to play, keyboard shortcuts, and colours. */

import { button, h } from './dom.js';
import { preference, prefer } from './preferences.js';
import { t } from './strings.js';

const KEYS = [['← → ↑ ↓', 'walk'], ['Space', 'select'], ['Enter', 'play'], ['C', 'walk through'], ['P', 'pass'], ['H', 'hint'], ['1 – 5', 'take'], ['U', 'back'], ['Esc', 'clear'],
  ['/', 'type'], ['.', 'read'], ['N  B', 'mistakes'], ['?', 'help']];

/** Open the help. */
export function showHelp() {
  const keys = h('input', { type: 'checkbox', checked: preference('keys', true), onchange: () => prefer('keys', keys.checked) });
  const dialog = h('dialog', { class: 'help', 'aria-labelledby': 'help-title', onclose: () => dialog.remove() },
    h('h2', { id: 'help-title' }, t('help.title')),
    ...['help.goal', 'help.select', 'help.pass', 'help.values'].map((key) => h('p', {}, t(key))),
    h('h3', {}, t('help.keys')),
    h('dl', { class: 'keys' }, ...KEYS.map(([key, name]) => h('div', {}, h('dt', {}, h('kbd', {}, key)), h('dd', {}, t(`key.${name}`))))),
    h('label', { class: 'check' }, keys, t('help.single keys')),
    theme(),
    button(t('help.close'), () => dialog.close(), { class: 'primary' }));
  document.body.append(dialog);
  dialog.showModal();
}

function theme() {
  const field = h('select', { onchange: () => {
    prefer('theme', field.value);
    useTheme();
  } }, ...['auto', 'light', 'dark'].map((name) => h('option', { value: name, selected: name === preference('theme', 'auto') }, t(`theme.${name}`))));
  return h('label', { class: 'check' }, t('theme.label'), ' ', field);
}

/** Apply the chosen colours, or the system's. */
export function useTheme() {
  document.documentElement.dataset.theme = preference('theme', 'auto');
}
