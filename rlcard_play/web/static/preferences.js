/** User preferences, stored in this browser only. */

const PREFIX = 'big2.'; // as when the page had one game: another would lose what browsers keep

/** Return a preference; its default unless a value of the same type is stored. */
export function preference(name, otherwise) {
  try {
    const kept = JSON.parse(localStorage.getItem(PREFIX + name));
    return kept === null || (otherwise !== null && typeof kept !== typeof otherwise) ? otherwise : kept;
  } catch {
    return otherwise; // storage may be disabled
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
