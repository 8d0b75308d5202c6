/** Dragging of the selected cards from the hand to the felt. */

const SLOP = 8; // pixels that a press may move

/**
 * Let the cards of a hand be dragged: a dragged card is selected, and all selected cards are played where they are dropped on the felt.
 *
 * @param hand whose `onagain` plays cards if they are a move, and returns a promise of the answer, or false
 */
export function makeDraggable(hand) {
  const { element } = hand;
  let start = null; // of the last press: its card, pointer and place
  let isDragged = false;

  const felt = () => element.closest('.table-screen, .study')?.querySelector('.felt');
  const isOver = (event) => {
    const box = felt()?.getBoundingClientRect();
    return box !== undefined && event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
  };
  const move = (x, y) => {
    for (const [card, button] of hand.buttons) button.style.translate = hand.selected.has(card) ? `${x}px ${y}px` : '';
  };
  const rest = () => {
    for (const button of hand.buttons.values()) button.style.translate = '';
  };
  const moved = (event) => {
    if (event.pointerId !== start.pointer) return;
    const [x, y] = [event.clientX - start.x, event.clientY - start.y];
    if (!isDragged && Math.hypot(x, y) < SLOP) return;
    if (!isDragged && !hand.selected.has(start.card)) hand.toggle(start.card);
    isDragged = true;
    element.classList.add('dragging');
    move(x, y);
    felt()?.classList.toggle('drop', isOver(event) && hand.isMove());
  };
  const ended = async (event) => {
    if (event.pointerId !== start.pointer) return;
    start.listeners.abort();
    element.classList.remove('dragging');
    felt()?.classList.remove('drop');
    setTimeout(() => { isDragged = false; }); // after the click that may follow
    if (isDragged && event.type === 'pointerup' && isOver(event)) await hand.onagain(hand.selected); // they lie there until the answer
    rest();
  };

  element.addEventListener('pointerdown', (event) => {
    const { card } = event.target.closest('.card')?.dataset ?? {};
    if (!card || !event.isPrimary || event.button !== 0) return;
    start?.listeners.abort();
    start = { card, pointer: event.pointerId, x: event.clientX, y: event.clientY, listeners: new AbortController() };
    const { signal } = start.listeners;
    document.addEventListener('pointermove', moved, { signal });
    for (const name of ['pointerup', 'pointercancel']) document.addEventListener(name, ended, { signal });
  });
  element.addEventListener('click', (event) => isDragged && event.detail > 0 && event.stopPropagation(), true);
}
