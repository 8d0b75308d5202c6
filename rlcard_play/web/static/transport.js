/** Requests to the server, and its updates of tables. */

import { ApiError } from './api_error.js';
import { t } from './strings.js';

/** Whether the tables are of this browser alone: nobody else can join or see them. */
export const isAlone = false;

/** Request a route; with a body, post it as JSON. */
export async function request(path, body) {
  const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(`api/${path}`, body === undefined ? {} : post);
  } catch {
    throw new ApiError(0, t('error.network'));
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new ApiError(response.status, answer.error ?? t('error.status', { status: response.status }));
  return answer;
}

/**
 * Listen to a route of updates; return an object with `close`.
 *
 * @param onupdate called with each update
 * @param onlost called once if the connection is lost
 */
export function listen(path, onupdate, onlost) {
  const source = new EventSource(`api/${path}`);
  source.onmessage = (event) => onupdate(JSON.parse(event.data));
  source.onerror = () => {
    source.close();
    onlost();
  };
  return source;
}
