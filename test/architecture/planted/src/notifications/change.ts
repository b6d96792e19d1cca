export type { Plugin } from '../plugins/plugin.js';

export interface Change {
  readonly entryId: number;
}
