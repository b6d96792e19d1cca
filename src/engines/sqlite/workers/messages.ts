import type { MessagePort } from 'node:worker_threads';
import type { FaultKind } from '../../../kernel/fault.js';
import type { Query } from '../../../search/query.js';
import type {
  EntryRevision,
  FacetOptions,
  PageEntries,
  PageOptions,
  SearchFacets,
  SearchPage,
  ShownPage,
  SimilarEntry,
  SimilarRequest,
  ValueCount,
} from '../../../search/search-index.port.js';
import type { SuggestRequest } from '../../../search/suggestions.js';
import type { OpenedFile } from '../database/database-file-check.js';
import type { IndexProgress } from '../search/index/indexer.js';
import type { AllWords } from '../search/query/vocabulary.js';

/** Start data of every worker. */
export interface WorkerSettings {
  /** Shared: 1 once the service stops. */
  readonly stopping: Int32Array;
  readonly documents: OpenedFile;
  /** Index in which the worker searches before its first task; undefined: its tasks are not searches. */
  readonly warmUpIndexFile: string | undefined;
  /** Number of threads that read entries for the thread that writes the index, if there are many entries to index. */
  readonly blockReaders: number;
}

/** Message from a search worker after its warm-up has ended or failed. */
export const warmedUp = 'warmed up';

/** Message from a starting search worker, with its port for `WordsExchange`. */
export const wordsPort = 'words port';
export interface WordsPort {
  readonly kind: typeof wordsPort;
  readonly port: MessagePort;
}

/**
 * Message from a search thread. `ask` is answered. The thread that reads the words reports its progress from time to
 * time, and ends with `read` or `failed`.
 */
export type WordsRequest =
  | { readonly kind: 'ask'; readonly index: string; readonly newerThan: number }
  | { readonly kind: 'reading' | 'failed'; readonly index: string }
  | { readonly kind: 'read'; readonly index: string; readonly words: AllWords };

/** Answer to `ask`. `words` is undefined if the requesting thread must read them itself. */
export interface WordsAnswer {
  readonly words: AllWords | undefined;
}

/** Task for a search worker. */
export type SearchTask =
  | { readonly kind: 'search'; readonly query: Query; readonly options: PageOptions }
  | { readonly kind: 'show'; readonly page: ShownPage; readonly versions: readonly EntryRevision[] }
  | { readonly kind: 'facets'; readonly query: Query; readonly options: FacetOptions }
  | { readonly kind: 'suggest'; readonly request: SuggestRequest }
  | { readonly kind: 'similar'; readonly request: SimilarRequest; readonly restrictedLogbooks: readonly string[] }
  | { readonly kind: 'matching'; readonly query: Query; readonly entryIds: readonly number[] };

export interface LimitedSearch {
  readonly indexFile: string;
  /** Generation of the index, see `IndexFiles`. */
  readonly generation: number;
  readonly task: SearchTask;
  /** Time at which the search is cancelled, see `monotonicMs`. */
  readonly deadlineMs: number;
  /** Shared: 1 once the caller no longer needs the result. */
  readonly cancelled: Int32Array;
}

/** Task that collects the garbage of the thread instead of searching. */
export const collectGarbageTask = 'collect garbage';

/** Task that indexes one batch of new writes, or does the next part of learning words. */
export type IndexTask =
  | { readonly kind: 'index'; readonly indexFile: string }
  | { readonly kind: 'learn'; readonly indexFile: string; readonly restrictedLogbooks: readonly string[] };

/** Result of a worker's task. A Fault is sent as its fields, because it would lose its class between threads. */
export type TaskResult =
  | { readonly kind: 'page'; readonly page: SearchPage }
  | { readonly kind: 'shown'; readonly entries: PageEntries }
  | { readonly kind: 'facets'; readonly facets: SearchFacets }
  | { readonly kind: 'suggested'; readonly values: readonly ValueCount[] }
  | { readonly kind: 'similar'; readonly entries: readonly SimilarEntry[] }
  | { readonly kind: 'matching'; readonly entryIds: readonly number[] }
  | { readonly kind: 'indexed'; readonly progress: IndexProgress }
  | { readonly kind: 'learned'; readonly more: boolean }
  | { readonly kind: 'done' }
  | {
      readonly kind: 'fault';
      readonly fault: { kind: FaultKind; code: string; message: string; cause: string | undefined };
    };

export type SuccessfulResult = Exclude<TaskResult, { kind: 'fault' }>;

export function expectResult<K extends SuccessfulResult['kind']>(
  kind: K,
  result: SuccessfulResult,
): Extract<SuccessfulResult, { kind: K }> {
  if (result.kind === kind) return result as Extract<SuccessfulResult, { kind: K }>;
  throw new Error(`unexpected result of a search: ${result.kind} instead of ${kind}`);
}

/** Returns the time in milliseconds of a clock that all threads share and that is never set. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}
