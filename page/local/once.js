/** Values that are loaded once. */

/** Return the value of a key in a map of promises; load it unless it is there. A failure is forgotten, to be tried again. */
export async function once(known, key, load) {
  if (!known.has(key)) known.set(key, load());
  const promise = known.get(key);
  try {
    return await promise;
  } catch (error) {
    if (known.get(key) === promise) known.delete(key);
    throw error;
  }
}
