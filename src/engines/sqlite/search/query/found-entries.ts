import type { Container } from '../index/containers.js';
import { empty } from '../index/containers.js';
import type { Condition } from './conditions.js';
import type { EntrySet } from './entry-set.js';
import type { UnindexedEntry } from './unindexed-entries.js';

export interface FoundEntries extends EntrySet {
  /** Entries whose current version is indexed, by chunk. */
  readonly indexed: readonly Container[];
  /** Entries whose current version is not indexed yet. */
  readonly unindexed: readonly UnindexedEntry[];
}

export function amongFound({ indexed, unindexed, count }: FoundEntries): Condition {
  const entries = new Set(unindexed);
  return {
    size: () => count,
    idsIn: (chunk) => indexed[chunk] ?? empty,
    matches: (entry) => entries.has(entry),
  };
}
