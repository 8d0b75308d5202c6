// Count the legal lines from positions of seeded deals; see test_kernels.py.
import {readFileSync} from 'node:fs';

const {engine, game, deals} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);

const loaded = await loadGame(game);
const lines = (position, depth) => {
  const moves = position.legalMoves();
  return depth === 1 ? moves.length : moves.reduce((sum, move) => sum + lines(position.play(move), depth - 1), 0);
};
console.log(JSON.stringify(deals.map(({rules, deal, ahead, depth, step, first}) => {
  let position = loaded.start(rules, deal);
  return ahead.map((ply) => {
    while (position.ply < ply) {
      const moves = position.legalMoves();
      position = position.play(moves[(step * position.ply + first) % moves.length]);
    }
    return Array.from({length: depth}, (_, i) => lines(position, i + 1));
  });
})));
