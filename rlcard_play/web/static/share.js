/** Links to a whole game: its record is in the fragment, compressed, so that no server sees it or has to know it. */

import { api } from './api.js';
import { button, h } from './dom.js';
import { pictureButton } from './picture.js';
import { asView } from './position.js';
import { copyLine, copyText } from './seating.js';
import { t } from './strings.js';

const MARK = '#game=';
const LARGEST = 100_000; // bytes of a record
const PRIVATE = ['id', 'seats', 'started', 'help', 'first_time', 'you'];

/** Return the address of a record's replay, without what is private in it. */
async function addressOf(record) {
  return `?analyse${MARK}${await pack(Object.fromEntries(Object.entries(record).filter(([name]) => !PRIVATE.includes(name))))}`;
}

/** Return the record in the fragment of this page, as text; '' if there is none. Errors name what is wrong. */
export async function sharedRecord() {
  try {
    return await inFragment(MARK);
  } catch {
    throw new Error(t('share.broken'));
  }
}

/** Return JSON compressed, with a checksum, in letters of addresses. */
export async function pack(value) {
  const bytes = await read(new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream('deflate')));
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Return the text that was packed in the fragment of this page, after a mark; '' if there is none. Damage is an error. */
export async function inFragment(mark) {
  if (!location.hash.startsWith(mark)) return '';
  const letters = atob(location.hash.slice(mark.length).replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new TextDecoder('utf-8', { fatal: true }).decode(await read(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))));
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

/** Return the position of a record at a ply as the seat to move sees it; the first one if the game is over there. */
async function viewAt(record, ply) {
  const { position, to_move: seat } = await api.analyse({ record, ply });
  if (seat === null) return viewAt(record, 0);
  if (position.hands[seat] === null) throw new Error(t('replay.unknown'));
  return asView(position, seat);
}

/**
 * Return the buttons that make and copy a link to a game, and save a picture of a position.
 *
 * @param recordOf returns its record, or a promise of it
 * @param plyOf returns the ply of the position
 */
export function shareButtons(recordOf, plyOf) {
  const link = h('div', {}, button(t('share.make'), async () => {
    try {
      const path = await addressOf(await recordOf());
      link.replaceChildren(copyLine(t('share.link'), path));
      await copyText(new URL(path, location.href).href, link.querySelector('input'));
      link.querySelector('[role=status]').textContent = t('link.copied');
    } catch (error) {
      link.replaceChildren(h('p', { class: 'problem', role: 'alert' }, error.message));
    }
  }));
  return h('div', { class: 'controls' }, link, pictureButton(async () => viewAt(await recordOf(), plyOf())));
}
