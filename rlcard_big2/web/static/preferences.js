/** User preferences, stored in this browser only. */

/** Return a preference, or its default. */
export function preference(name, otherwise) {
  try {
    const kept = localStorage.getItem(`big2.${name}`);
    return kept === null ? otherwise : JSON.parse(kept);
  } catch {
    return otherwise; // storage may be disabled
  }
}

/** Store a preference. */
export function prefer(name, value) {
  try {
    localStorage.setItem(`big2.${name}`, JSON.stringify(value));
  } catch {
    // storage may be disabled
  }
}
