// Plays the longest legal move, the first of equals.
//   python -m eval match 'program:node examples/programs/bot.js' rule

const readline = require('readline');

const length = (text) => text.split(' ').length;

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if ('game' in message) return; // a game begins, which needs no answer
  const move = message.actions.reduce((best, text) => (length(text) > length(best) ? text : best));
  process.stdout.write(`${JSON.stringify({ move })}\n`);
});
