/** What one client may ask for, so that the others, and the service around the directory, never notice it. */
export interface Limits {
  readonly maxConnections: number;
  readonly maxMessageBytes: number;
  /** Requests of one connection that wait for their answers; more are not read from it. */
  readonly maxWaitingRequests: number;
  readonly idleMs: number;
  /** How long a message that began may take, on its way in or out. */
  readonly messageMs: number;
  readonly searchMs: number;
}

export const defaultLimits: Limits = {
  maxConnections: 128,
  maxMessageBytes: 262_144,
  maxWaitingRequests: 16,
  idleMs: 300_000,
  messageMs: 15_000,
  searchMs: 10_000,
};
