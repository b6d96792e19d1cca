import { isClosed } from '../entries/entry.js';
import type { EntryStorage } from '../entries/entry-storage.js';
import type { Job } from '../kernel/background-job.js';
import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import { parseQuery } from './parse-query.js';
import type { PageEntries, SearchIndex } from './search-index.port.js';

interface Deps {
  readonly storage: EntryStorage;
  readonly searchIndex: SearchIndex;
  readonly clock: Clock;
  /** Time without an append after which a run counts as abandoned. */
  readonly timeoutMs: number;
}

const pageSize = 100;

/**
 * Returns the job that marks runs without recent appends as abandoned. The mark is an annotation, because no user
 * changed the run.
 */
export function abandonedRunsJob({ storage, searchIndex, clock, timeoutMs }: Deps): Job {
  let from = 0;
  return {
    name: 'abandoned-runs',
    isShared: true,
    intervalMs: Math.min(timeoutMs, 60_000),
    failure: 'abandoned runs could not be marked; will retry',
    async run(signal) {
      const nowMs = clock.nowMs();
      const query = { ...parseQuery({ query: 'is:running' }, { nowMs, zone: 'UTC', size: pageSize }), from };
      const search = searchIndex.search(query, { signal, view: { isList: true, hasHighlights: false } });
      const found = await search.catch(waitForIndex);
      if (!found) return 'idle';
      const ids = listIds(found.entries);
      let marked = 0;
      for (const id of ids) if (await markAbandoned({ storage, clock, timeoutMs }, id)) marked += 1;
      // The next search does not find the runs that were marked, so the next page begins earlier by their number.
      from = ids.length < pageSize ? 0 : from + ids.length - marked;
      return from === 0 ? 'idle' : 'more';
    },
  };
}

/** Returns undefined while the search index is being built, which is no failure: the next run finds the runs. */
function waitForIndex(error: unknown): undefined {
  if (!(error instanceof Fault) || error.code !== 'search.index-building') throw error;
}

function listIds(entries: PageEntries): number[] {
  if (entries.kind === 'long') return entries.versions.map(({ id }) => id);
  const shown = JSON.parse(Buffer.from(entries.json).toString()) as { readonly id: number }[];
  if (entries.kind === 'joined') entries.free?.();
  return [...shown, ...(entries.kind === 'begun' ? entries.rest : [])].map(({ id }) => id);
}

async function markAbandoned({ storage, clock, timeoutMs }: Omit<Deps, 'searchIndex'>, id: number) {
  return storage.write(async (tx) => {
    const stored = await tx.entries.find(id);
    const run = stored?.entry.run;
    const atMs = clock.nowMs();
    if (!stored || !run || isClosed(run) || run.status === 'abandoned') return false;
    // A clock that was ahead may have recorded an append in the future.
    if (Math.abs(atMs - run.changedDate) < timeoutMs) return false;
    const { revision } = await tx.entries.annotate({ ...stored.entry, run: { ...run, status: 'abandoned' } }, stored);
    await tx.feed.append({ kind: 'annotated', entryId: id, revision, notify: true, atMs });
    return true;
  });
}
