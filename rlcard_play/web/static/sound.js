/** A soft sound when it is the user's turn, if it is switched on. */

import { preference } from './preferences.js';

const TONES = [[523, 0], [659, 0.12]]; // hertz, and seconds after the first
const LOUDNESS = 0.05;
const SECONDS = 0.5;

let context = null;

/** Sound once. */
export function chime() {
  if (!preference('sound', false)) return;
  context ??= new AudioContext();
  context.resume(); // it is suspended until the user has pressed something
  for (const [pitch, after] of TONES) tone(pitch, context.currentTime + after);
}

function tone(pitch, start) {
  const source = new OscillatorNode(context, { type: 'sine', frequency: pitch });
  const volume = new GainNode(context, { gain: LOUDNESS });
  volume.gain.setValueAtTime(LOUDNESS, start);
  volume.gain.exponentialRampToValueAtTime(0.0001, start + SECONDS);
  source.connect(volume).connect(context.destination);
  source.start(start);
  source.stop(start + SECONDS);
}
