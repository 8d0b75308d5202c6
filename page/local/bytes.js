/** Bytes as text. */

/** Write bytes in base64, by the letters that addresses may hold. */
export function base64Of(bytes) {
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** Write bytes as hexadecimal digits. */
export function hexOf(bytes) {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
