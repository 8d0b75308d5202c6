/** Links to a whole game: its record is in the fragment, compressed, so that no server sees it or has to know it. */

import { button, h } from './dom.js';
import { copyLine, copyText } from './seating.js';
import { t } from './strings.js';

const MARK = '#game=';
const LARGEST = 100_000; // bytes of a record
const PRIVATE = ['id', 'seats', 'started', 'help', 'first_time', 'you'];

/** Return the address of a record's replay, without what is private in it. */
async function addressOf(record) {
  const text = JSON.stringify(Object.fromEntries(Object.entries(record).filter(([name]) => !PRIVATE.includes(name))));
  const bytes = await read(new Blob([text]).stream().pipeThrough(new CompressionStream('deflate')));
  return `?analyse${MARK}${btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
}

/** Return the record in the fragment of this page, as text; '' if there is none. Errors name what is wrong. */
export async function sharedRecord() {
  if (!location.hash.startsWith(MARK)) return '';
  try {
    const letters = atob(location.hash.slice(MARK.length).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true }).decode(await read(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))));
  } catch {
    throw new Error(t('share.broken'));
  }
}

async function read(stream) {
  const parts = [];
  let size = 0;
  for (const reader = stream.getReader(); ;) {
    const { value, done } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    size += value.length;
    if (size > LARGEST) throw new RangeError('too large');
  }
}

/** Return a button that makes and copies a link to a game; `recordOf` returns its record, or a promise of it. */
export function shareButton(recordOf) {
  const element = h('div', {}, button(t('share.make'), async () => {
    try {
      const path = await addressOf(await recordOf());
      element.replaceChildren(copyLine(t('share.link'), path));
      await copyText(new URL(path, location.href).href, element.querySelector('input'));
      element.querySelector('[role=status]').textContent = t('link.copied');
    } catch (error) {
      element.replaceChildren(h('p', { class: 'problem', role: 'alert' }, error.message));
    }
  }));
  return element;
}
