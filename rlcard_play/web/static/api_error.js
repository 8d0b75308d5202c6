/** Errors of requests. */

/** A refused or failed request; status 0 without an answer. */
export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}
