import type { RunningServer, Servers } from './servers.js';

export interface Bench {
  readonly servers: Servers;
  /** The program under load, shared by all rows that do not start their own. */
  readonly program: RunningServer;
  /** Duration of each load. */
  readonly seconds: number;
  /** Number of entries to search in. */
  readonly entries: number;
}
