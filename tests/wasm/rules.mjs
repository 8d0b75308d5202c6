// Print the table of each of some rules, given by their fields, or the names in the error; see test_rules.py.
import {readFileSync} from 'node:fs';

const {engine, game, rules} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);

const loaded = await loadGame(game);
console.log(JSON.stringify(rules.map((fields) => {
  try {
    return [...loaded.rules(fields).table];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
})));
