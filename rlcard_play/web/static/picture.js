/** A picture of a position as the seat to move sees it, with the question; it names nobody. */

import { cardsOf, moveName, rankText } from './cards.js';
import { button, h } from './dom.js';
import { game } from './game.js';
import { others, placeName } from './people.js';
import { announce } from './announcer.js';
import { rulesName } from './rulebook.js';
import { gameName, t } from './strings.js';

const [WIDTH, HEIGHT, EDGE] = [1200, 630, 40]; // as previews of links are
const SUIT = 20; // width and height of a suit's drawing
const [FELT, PALE, INK, FACE] = ['#1f6650', '#d5e6dc', '#f7f5ee', '#ffffff'];
const COLOURS = { d: '#1b5fc1', c: '#11692f', h: '#c0172b', s: '#1d2026' };

/** Return a button that saves a picture; `viewOf` returns the view of the seat to move, or a promise of it. */
export function pictureButton(viewOf) {
  return button(t('picture.save'), async () => {
    try {
      drawn(await viewOf()).toBlob((blob) => {
        const address = URL.createObjectURL(blob);
        h('a', { href: address, download: `${game.key}.png` }).click();
        setTimeout(() => URL.revokeObjectURL(address), 1000);
      });
    } catch (error) {
      announce(error.message);
    }
  });
}

/** Draw a view on a canvas. */
function drawn(view) {
  const canvas = h('canvas', { width: WIDTH, height: HEIGHT });
  const context = canvas.getContext('2d');
  const write = (text, x, y, size, colour = INK, most = WIDTH - EDGE - x) => {
    context.font = `600 ${size}px ${getComputedStyle(document.body).fontFamily}`;
    context.fillStyle = colour;
    context.fillText(text, x, y, most);
  };
  const row = (cards, x, y, most, width) => {
    const step = Math.min(most + 8, (width - most) / Math.max(1, cards.length - 1));
    cards.forEach((card, i) => drawCard(context, write, card, x + i * step, y, most));
  };
  context.fillStyle = FELT;
  context.fillRect(0, 0, WIDTH, HEIGHT);
  const facts = [...game.facts(view)?.querySelectorAll('.fact') ?? []].map((fact) => [...fact.children].map((part) => part.textContent.trim()).join(' '));
  write([gameName(game.key), rulesName(view.rules)].join(' · '), EDGE, 62, 30, PALE);
  write(facts.join(' · '), EDGE, 102, 26, PALE);
  const seats = others(view);
  const wide = (WIDTH - 2 * EDGE) / seats.length;
  seats.forEach((seat, i) => {
    const x = EDGE + i * wide;
    const last = view.last[seat];
    write(`${placeName(view, seat)} · ${t('seat.cards', { n: view.left[seat] })}`, x, 150, 26);
    if (last && !cardsOf(last).length) write(moveName(last, null), x, 225, 30, PALE);
    row(cardsOf(last), x, 170, 76, wide - 24);
  });
  write([game.news(null, view).findLast(Boolean), t('picture.question')].filter(Boolean).join(' '), EDGE, 345, 40);
  row(game.sorted(cardsOf(view.hand), game.orders[0], view.trump), EDGE, 380, 130, WIDTH - 2 * EDGE);
  return canvas;
}

function drawCard(context, write, card, x, y, width) {
  const height = 1.5 * width;
  context.beginPath();
  context.roundRect(x, y, width, height, width / 8);
  context.fillStyle = FACE;
  context.fill();
  context.strokeStyle = FELT;
  context.lineWidth = 2;
  context.stroke();
  write(rankText(card[0]), x + width / 12, y + width / 2, width / 2.2, COLOURS[card[1]], width / 2);
  const scale = width / 2.4 / SUIT;
  context.setTransform(scale, 0, 0, scale, x + width / 14, y + 0.62 * width);
  context.fill(new Path2D(document.querySelector(`#suit-${card[1]} path`).getAttribute('d')));
  context.resetTransform();
}
