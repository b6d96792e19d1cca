import { Fault } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';

export const searchTimeLimitMs = 30_000;

export function searchTooSlow(): Fault {
  return limitFault('unavailable', 'search.too-slow', {
    refused: 'The search took too long and was cancelled.',
    limit: {
      amount: `${searchTimeLimitMs / 1_000} s`,
      setting: undefined,
      countedFor: 'each search, regardless of the client',
    },
    advice: 'Narrow it, for example by a time window.',
  });
}

export function searchCancelled(): Fault {
  return new Fault('unavailable', 'search.cancelled', 'The search was cancelled because the client disconnected.');
}

export function notComparable(): Fault {
  return new Fault(
    'unavailable',
    'search.unavailable',
    'Entries cannot be compared by meaning yet. This does not mean that none is similar: try again in a moment.',
  );
}

/** Maximum number of unindexed writes; above it, searches are refused until the index has caught up. */
export const maxUnindexed = 20_000;

export function isBacklogTooLarge(indexedSequence: number, newestSequence: number): boolean {
  return newestSequence - indexedSequence > maxUnindexed;
}

export function indexBuilding(indexedSequence: number, newestSequence: number): Fault {
  return new Fault(
    'unavailable',
    'search.index-building',
    `The search index is being built: ${indexedSequence} of ${newestSequence} writes are indexed. Reading and writing entries works as usual; search again in a minute.`,
  );
}
