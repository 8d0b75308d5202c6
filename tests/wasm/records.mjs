// Read records, and write each game again or print the error; see test_kernels.py.
import {readFileSync} from 'node:fs';

const {engine, game, records} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);
const {readRecord, writeRecord} = await import(`${engine}/records.js`);

const loaded = await loadGame(game);
const again = (record) => {
  const positions = readRecord(loaded, record);
  const moves = positions.slice(0, -1).map((at, i) => at.legalMoves().find((move) => at.text(move) === record.moves[i]));
  return writeRecord(positions[0], moves);
};
console.log(JSON.stringify(records.map((record) => {
  try {
    return again(record);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
})));
