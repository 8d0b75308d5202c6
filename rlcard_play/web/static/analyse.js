/** Analysis of a pasted record, position, link or deal code. Short texts are kept in the address. */

import { api } from './api.js';
import { button, h } from './dom.js';
import { showGame } from './replay.js';
import { sharedRecord } from './share.js';
import { t } from './strings.js';

const MARK = '#text=';
const MAX_LENGTH = 4000; // characters of an address
const EXAMPLE = '7/1'; // a deal

/** Return a button that keeps a finished game. */
function keeping(record) {
  const told = h('span', { role: 'status' });
  const keep = async () => {
    const { refused } = await api.keep(JSON.stringify(record)).catch(({ message }) => ({ refused: [{ error: message }] }));
    told.textContent = refused.length ? refused[0].error : t('analyse.kept');
  };
  return h('div', { class: 'controls page' }, button(t('analyse.keep'), keep), told);
}

/** Show the input, or the analysis of the text in the address. */
export async function showAnalyse(root) {
  const kept = location.hash.startsWith(MARK) ? decodeURIComponent(location.hash.slice(MARK.length)) : '';
  const box = h('textarea', { rows: 8, spellcheck: 'false', 'aria-label': t('analyse.label'), placeholder: t('analyse.placeholder') });
  const game = h('input', { type: 'number', min: 1, value: 1, name: 'game' });
  const problem = h('p', { class: 'problem', role: 'alert' });
  const look = async () => {
    try {
      const text = box.value.trim();
      const ply = /[?&]ply=(\d{1,3})\b/.exec(text);
      const found = await api.analyse({ text, ...(text.includes('\n') ? { game: Number(game.value) } : {}), ...(ply ? { ply: Number(ply[1]) } : {}) });
      if (text.length < MAX_LENGTH) history.replaceState(null, '', `?analyse${MARK}${encodeURIComponent(text)}`);
      await showGame(root, found);
      if (found.record.payoffs) root.append(keeping(found.record));
    } catch (error) {
      refuse(error);
    }
  };
  const refuse = (error) => problem.replaceChildren(error.message, ' ', button(t('analyse.example', { text: EXAMPLE }), tryExample));
  const tryExample = () => {
    box.value = EXAMPLE;
    look();
  };
  const file = h('input', { type: 'file', accept: '.jsonl,.json', 'aria-label': t('analyse.file'), onchange: async () => { box.value = await file.files[0].text(); } });
  const submit = (event) => {
    event.preventDefault();
    look();
  };
  root.replaceChildren(h('form', { class: 'page paste', onsubmit: submit }, h('h2', {}, t('nav.analyse')), h('p', { class: 'quiet' }, t('analyse.note')), box,
    h('div', { class: 'controls' }, button(t('analyse.look'), null, { type: 'submit', class: 'primary' }), h('label', { class: 'field file' }, h('span', {}, t('analyse.file')), file),
      h('label', { class: 'field game' }, h('span', {}, t('analyse.game')), game)), problem));
  addEventListener('hashchange', () => location.reload());
  try {
    const shared = await sharedRecord();
    if (shared) return await showGame(root, await api.analyse({ text: shared, ply: 0 }));
  } catch (error) {
    refuse(error);
  }
  box.value = kept;
  return kept ? look() : undefined;
}
