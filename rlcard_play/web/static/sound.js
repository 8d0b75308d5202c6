/** Soft sounds, if they are switched on: of dealing and of cards, when it is the user's turn, and of a win. */

import { cardsOf } from './cards.js';
import { preference } from './preferences.js';

const SOUNDS = { // their waves, seconds, and tones: hertz, and seconds after the first
  deal: ['triangle', 0.06, [[170, 0], [190, 0.1], [170, 0.2], [190, 0.3]]],
  card: ['triangle', 0.08, [[150, 0]]],
  turn: ['sine', 0.5, [[523, 0], [659, 0.12]]],
  win: ['sine', 0.8, [[523, 0], [659, 0.12], [784, 0.24], [1047, 0.36]]],
};
const LOUDNESS = 0.05;

let context = null;

/** Sound once, by the name of a sound. */
export function chime(name) {
  if (!preference('sound', false)) return;
  context ??= new AudioContext();
  context.resume(); // it is suspended until the user has pressed something
  const [type, seconds, tones] = SOUNDS[name];
  for (const [frequency, after] of tones) tone({ type, frequency }, context.currentTime + after, seconds);
}

/** Sound what is new in a view: the deal, cards, a turn that begins, a win. */
export function soundChange(before, view, isTurn) {
  if (!before && !view.ply && !view.waiting) chime('deal');
  if (before?.ply < view.ply && cardsOf(view.log.at(-1)[1]).length) chime('card');
  if (isTurn) chime('turn');
  if (before && !before.over && view.you !== null && view.over?.payoffs[view.you] === Math.max(...view.over?.payoffs ?? [])) chime('win');
}

function tone(wave, start, seconds) {
  const source = new OscillatorNode(context, wave);
  const volume = new GainNode(context, { gain: LOUDNESS });
  volume.gain.setValueAtTime(LOUDNESS, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + seconds);
  source.connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + seconds);
}
