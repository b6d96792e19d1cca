import { Fault } from '../../../../kernel/fault.js';

export function searchTooSlow(): Fault {
  return new Fault(
    'unavailable',
    'search.too-slow',
    'The search took too long and was given up. Narrow it, for example by a time window.',
  );
}

export function searchCancelled(): Fault {
  return new Fault('unavailable', 'search.cancelled', 'The search was given up: nobody waits for its answer.');
}

/** When the index lacks more writes than this, it has to catch up before anything is searched. */
export const maxUnindexed = 20_000;

export function isBacklogTooLarge(indexedSequence: number, newestSequence: number): boolean {
  return newestSequence - indexedSequence > maxUnindexed;
}

export function indexBuilding(indexedSequence: number, newestSequence: number): Fault {
  return new Fault(
    'unavailable',
    'search.index-building',
    `The search index is being built: ${indexedSequence} of ${newestSequence} writes are in it. Entries are read and written meanwhile; search again in a minute.`,
  );
}
