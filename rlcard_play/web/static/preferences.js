/** User preferences, stored in this browser only. */

const PREFIX = 'big2.'; // as when the page had one game: another would lose what browsers keep

/** Return a preference; its default unless a value of the same type is stored. */
export function preference(name, otherwise) {
  try {
    const kept = JSON.parse(textOf(name));
    return kept === null || (otherwise !== null && typeof kept !== typeof otherwise) ? otherwise : kept;
  } catch {
    return otherwise;
  }
}

/** Whether a text is stored as a preference, which need not be one. */
export const isStored = (name) => textOf(name) !== null;

function textOf(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null; // storage may be disabled
  }
}

/** Store a preference. */
export function prefer(name, value) {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value));
  } catch {
    // storage may be disabled
  }
}
