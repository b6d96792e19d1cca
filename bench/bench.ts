import type { RunningServer, Servers } from './servers.js';

export interface Bench {
  readonly servers: Servers;
  /** The program under load, the same for all rows that do not start one themselves. */
  readonly program: RunningServer;
  /** How long each load lasts. */
  readonly seconds: number;
}
