import { parentPort } from 'node:worker_threads';
import { collectGarbage } from '../../../kernel/collect-garbage.js';
import { searchCancelled, searchTooSlow } from '../../search-faults.js';
import { openIndexForReading } from '../search/index/index-database.js';
import { EntrySearcher } from '../search/query/entry-search.js';
import { warmUp } from '../search/query/warm-up.js';
import {
  collectGarbageTask,
  type LimitedSearch,
  monotonicMs,
  type SearchTask,
  type SuccessfulResult,
  type TaskResult,
  warmedUp,
} from './messages.js';
import { SharedWords } from './shared-words.js';
import { transferResult } from './transfer-result.js';
import { checkStop, lowerPriority, OpenIndex, runTask, settings } from './worker-thread.js';

const niceness = 5;
const words = new SharedWords(checkStop);
const openSearcher = new OpenIndex(
  openIndexForReading,
  (index, documents, key) => new EntrySearcher(index, documents, words.of(key)),
);

if (settings.warmUpIndexFile !== undefined) {
  try {
    lowerPriority(niceness);
    await openSearcher.use({ indexFile: settings.warmUpIndexFile }, ({ instance, documents }) =>
      warmUp(instance, documents, checkStop),
    );
  } catch {
    // The first search will fail in the same way and report the reason.
    openSearcher.close();
  }
  parentPort?.postMessage(warmedUp);
}

/** Runs one search, or collects the garbage of earlier ones. */
export async function run(task: LimitedSearch | typeof collectGarbageTask): Promise<TaskResult> {
  if (task !== collectGarbageTask) return runSearch(task);
  collectGarbage();
  return { kind: 'done' };
}

function runSearch({ task, deadlineMs, cancelled, ...files }: LimitedSearch): Promise<TaskResult> {
  const checkTime = () => {
    checkStop();
    if (monotonicMs() > deadlineMs) throw searchTooSlow();
    if (Atomics.load(cancelled, 0) === 1) throw searchCancelled();
  };
  return runTask(niceness, async () => {
    checkTime();
    return openSearcher.use(files, ({ instance }) => transferResult(search(instance, task, checkTime)));
  });
}

function search(searcher: EntrySearcher, task: SearchTask, checkTime: () => void): SuccessfulResult {
  switch (task.kind) {
    case 'search':
      return { kind: 'page', page: searcher.search(task.query, task.options, checkTime) };
    case 'facets':
      return { kind: 'facets', facets: searcher.facets(task.query, task.options, checkTime) };
    case 'matching':
      return { kind: 'matching', entryIds: searcher.matching(task.query, task.entryIds, checkTime) };
    case 'suggest':
      return { kind: 'suggested', values: searcher.suggest(task.request, checkTime) };
    case 'similar':
      return { kind: 'similar', entries: searcher.similar(task.request, task.restrictedLogbooks, checkTime) };
    case 'show':
      return { kind: 'shown', entries: searcher.show(task.page, task.versions, checkTime) };
  }
}
