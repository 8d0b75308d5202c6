/** What the reader chose, kept in this browser alone. */

/** Return what was chosen, or the value that holds until something is. */
export function preference(name, otherwise) {
  try {
    const kept = localStorage.getItem(`big2.${name}`);
    return kept === null ? otherwise : JSON.parse(kept);
  } catch {
    return otherwise; // a browser may keep nothing
  }
}

/** Keep a choice. */
export function prefer(name, value) {
  try {
    localStorage.setItem(`big2.${name}`, JSON.stringify(value));
  } catch {
    // it holds until the page is left
  }
}
