/** Files that are written when the page is built. */

const known = new Map(); // promises by name

/** Return the value of a file of JSON, loaded once. */
export function loadJson(name) {
  if (!known.has(name)) {
    const loading = fetch(new URL(`data/${name}.json`, import.meta.url)).then((response) => {
      if (!response.ok) throw new Error(`data/${name}.json: status ${response.status}`);
      return response.json();
    });
    known.set(name, loading);
    loading.catch(() => known.delete(name));
  }
  return known.get(name);
}
