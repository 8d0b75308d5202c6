// Play games by a rule that follows from what was legal before, and print a digest of each; see test_kernels.py.
import {readFileSync} from 'node:fs';

const {engine, game, rules, seeds} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);

const loaded = await loadGame(game);
const digest = (before, numbers) => {
  let sum = 0;
  for (let i = 0; i < numbers.length; i++) sum += (i + 1) * (((numbers[i] % 65521) + 65521) % 65521);
  return (31 * before + sum) % 2 ** 44;
};
const digests = seeds.map((seed) => {
  let position = loaded.start(rules, loaded.deal(rules, BigInt(seed)));
  let all = 0;
  for (let moves = position.legalMoves(); moves.length; moves = position.legalMoves()) {
    all = digest(digest(all, moves), position.observe());
    position.play(moves[0]);  // which leaves this position as it is
    position = position.play(moves[all % moves.length]);
  }
  return digest(all, position.settle());
});
console.log(JSON.stringify(digests));
