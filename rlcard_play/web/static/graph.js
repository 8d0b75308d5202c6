/** Values of positions by ply as one seat could judge them, with marked mistakes. */

import { h, svg } from './dom.js';
import { game } from './game.js';
import { t } from './strings.js';

const WIDTH = 360;
const HEIGHT = 120;
const MARGIN = { left: 34, right: 8, top: 8, bottom: 18 };

/**
 * Draw the graph.
 *
 * @param found the server's analysis
 * @param ply the current position
 * @param seat whose judgement is drawn
 * @param name returns the name of a seat
 * @param onply called with the ply of a click
 */
export function graph(found, ply, seat, name, onply) {
  const choices = found.choices.filter((one) => game.graph.before(one) !== null && one.seat === seat);
  if (!choices.length) return h('p', { class: 'quiet' }, t('graph.none'));
  const x = (at) => MARGIN.left + (WIDTH - MARGIN.left - MARGIN.right) * at / Math.max(found.plies, 1);
  const { low, high, ticks, tick } = game.graph;
  const y = (value) => MARGIN.top + (HEIGHT - MARGIN.top - MARGIN.bottom) * (high - value) / (high - low);
  const drawing = svg('svg', { class: 'graph', viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: 'img', 'aria-label': t('graph.label') },
    ...ticks.flatMap((value) => [
      svg('line', { class: 'grid', x1: MARGIN.left, x2: WIDTH - MARGIN.right, y1: y(value), y2: y(value) }),
      svg('text', { class: 'axis', x: MARGIN.left - 4, y: y(value) + 4, 'text-anchor': 'end' }, tick(value))]),
    svg('text', { class: 'axis', x: WIDTH - MARGIN.right, y: HEIGHT - 4, 'text-anchor': 'end' }, t('graph.moves', { n: found.plies })),
    ...curve(choices, seat, x, y),
    svg('line', { class: 'here', x1: x(ply), x2: x(ply), y1: MARGIN.top, y2: HEIGHT - MARGIN.bottom }));
  drawing.addEventListener('click', (event) => {
    const box = drawing.getBoundingClientRect();
    const at = ((event.clientX - box.left) / box.width * WIDTH - MARGIN.left) / (WIDTH - MARGIN.left - MARGIN.right);
    onply(Math.min(Math.max(Math.round(at * found.plies), 0), found.plies));
  });
  return h('figure', {}, drawing, h('figcaption', {}, t('graph.judged', { name: name(seat) })));
}

/** Draw the line of a seat, with dots below it for mistakes. */
function curve(choices, seat, x, y) {
  const points = choices.map((one) => `${x(one.ply).toFixed(1)},${y(game.graph.before(one)).toFixed(1)}`).join(' ');
  const marks = choices.filter((one) => one.mark).map((one) =>
    svg('circle', { class: `dot ${one.mark}`, cx: x(one.ply), cy: y(game.graph.after(one)), r: 3.5 }, svg('title', {}, `${one.ply + 1}: ${t(`mark.${one.mark}`)}`)));
  return [svg('polyline', { class: `curve seat-${seat}`, points }), ...marks];
}
