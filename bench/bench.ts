import type { RunningServer, Servers } from './servers.js';

export interface Bench {
  readonly servers: Servers;
  /** The program under load, shared by all rows that do not start their own. */
  readonly program: RunningServer;
  /** How long each load lasts. */
  readonly seconds: number;
  /** Number of entries to search in. */
  readonly entries: number;
}
