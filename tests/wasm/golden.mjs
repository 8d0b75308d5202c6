// Play given moves, as text, and print what the mover sees before each, the number of its moves, and the payoffs.
import {readFileSync} from 'node:fs';

const {engine, game, rules, deal, moves} = JSON.parse(readFileSync(0, 'utf8'));
const {loadGame} = await import(`${engine}/engine.js`);

const loaded = await loadGame(game);
let position = loaded.start(rules, Array.isArray(deal) ? deal : {...deal, word: BigInt(deal.word)});
const seen = moves.map((text) => {
  const legal = position.legalMoves(), features = [...position.features()];
  const move = legal.find((one) => position.text(one) === text), {player} = position;
  position = position.play(move);
  return [player, legal.length, features];
});
console.log(JSON.stringify({seen, payoffs: position.settle(), isOver: position.isOver}));
