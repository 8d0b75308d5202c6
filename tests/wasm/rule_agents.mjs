import {readFileSync} from 'node:fs';

/** Play games by the rule agent; print the moves of each, and in Big 2 a sum of the proofs of wins. */

const {engine, game, rules, seeds} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);
const kind = await loadGame(game);

function play(seed) {
  const moves = [];
  let proofs = 0;
  for (let at = kind.start(rules, kind.deal(rules, BigInt(seed))); !at.isOver; at = at.play(moves.at(-1))) {
    if (game === 'big2') at.proofs().forEach((payoff, i) => { proofs += (i + 1) * payoff; });
    moves.push(at.ruleMove());
  }
  return [moves, proofs];
}

console.log(JSON.stringify(seeds.map(play)));
