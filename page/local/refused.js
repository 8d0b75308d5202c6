/** Requests that the tables refuse, with the status that the server would give. */

export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Write a value as the server's sentences show it. */
export function shown(value) {
  const text = typeof value === 'string' ? `'${value}'` : JSON.stringify(value) ?? 'missing';
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
