/** DOM construction without markup in strings. */

const SVG = 'http://www.w3.org/2000/svg';

/** Make an element; properties beginning with `on` are listeners; null and false are omitted. */
export function h(tag, properties = {}, ...children) {
  return filled(document.createElement(tag), properties, children);
}

/** Make an SVG element. */
export function svg(tag, properties = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), properties, children);
}

function filled(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...nodes(children));
  return element;
}

/** Replace the children of an element unless they are equal, which keeps the focus. */
export function put(element, ...children) {
  const wanted = nodes(children);
  const made = h('div', {}, ...wanted);
  const same = made.childNodes.length === element.childNodes.length
    && [...made.childNodes].every((node, i) => node.isEqualNode(element.childNodes[i]));
  if (!same) element.replaceChildren(...made.childNodes);
}

/** Make an element the only child, without moving it if it already is. */
export function hold(element, child) {
  if (element.firstChild !== child || element.childNodes.length > 1) element.replaceChildren(child);
}

function nodes(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Make a button. */
export function button(text, onclick, properties = {}) {
  return h('button', { type: 'button', onclick, ...properties }, text);
}

/** Make a collapsible panel; on narrow screens it starts collapsed. */
export function panel(title, properties, ...children) {
  const open = properties.open ?? window.matchMedia('(min-width: 64em)').matches;
  return h('details', { class: `panel ${properties.class ?? ''}`, open }, h('summary', {}, h('h2', {}, title)), ...children);
}

/** Enable or disable a button; a disabled one keeps its focus and label. */
export function enable(element, enabled) {
  element.setAttribute('aria-disabled', String(!enabled));
}

/** Whether a button is enabled. */
export function isEnabled(element) {
  return element.getAttribute('aria-disabled') !== 'true';
}
