/** Limits that keep one client from slowing down the others or the process that runs the server. */
export interface Limits {
  readonly maxConnections: number;
  readonly maxMessageBytes: number;
  /** Maximum number of unanswered requests per connection. At this number, no more data is read from the connection. */
  readonly maxQueuedRequests: number;
  readonly idleTimeoutMs: number;
  /** Maximum time for one message to arrive completely, or for the client to accept it. */
  readonly messageTimeoutMs: number;
  readonly searchTimeoutMs: number;
}

export const defaultLimits: Limits = {
  maxConnections: 128,
  maxMessageBytes: 262_144,
  maxQueuedRequests: 16,
  idleTimeoutMs: 300_000,
  messageTimeoutMs: 15_000,
  searchTimeoutMs: 10_000,
};
