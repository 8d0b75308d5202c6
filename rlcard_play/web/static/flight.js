/** Cards that fly from their player to their place on the felt. */

const FLIGHT = 150; // milliseconds

/** Let the cards that a seat has just played fly, unless the user prefers less motion. */
export function fly(felt, seat) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) return;
  const [player, place] = [felt.querySelector(`[data-seat="${seat}"]`), felt.querySelector(`[data-pile="${seat}"]`)];
  if (!player || !place) return;
  const [from, to] = [player, place.firstElementChild ?? place].map((element) => element.getBoundingClientRect());
  const x = from.x + from.width / 2 - to.x - to.width / 2;
  const y = from.y + from.height / 2 - to.y - to.height / 2;
  place.animate([{ transform: `translate(${x}px, ${y}px) scale(.6)`, opacity: .3 }, {}], { duration: FLIGHT, easing: 'ease-out' });
}
