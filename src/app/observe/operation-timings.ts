import type { RequestMetrics } from '../../http/metrics.js';
import type { Tracing } from '../../kernel/tracing.js';

/** Runs an operation and records its duration, even if it fails. Settles like the operation. */
export type TimeOperation = <T>(operation: string, work: () => Promise<T>) => Promise<T>;

interface OperationTimings {
  readonly storage: TimeOperation;
  readonly files: TimeOperation;
  readonly search: TimeOperation;
}

/** Returns the functions that measure the operations of storage, files and search, whatever their engines. */
export function timeOperations(metrics: RequestMetrics, tracing: Tracing): OperationTimings {
  const timing = (part: string, observe: (operation: string, ms: number) => void): TimeOperation => {
    return async (operation, work) => {
      const startedMs = performance.now();
      try {
        return await tracing.inSpan(`${part} ${operation}`, work);
      } finally {
        observe(operation, performance.now() - startedMs);
      }
    };
  };
  return {
    storage: timing(
      'storage',
      metrics.durations(
        'operation',
        'logbook_storage_operation_duration_seconds',
        'Time of an operation of the storage, from the call to the result, in seconds: write and remove until the commit, and reads of entries.',
      ),
    ),
    files: timing(
      'files',
      metrics.durations(
        'operation',
        'logbook_file_operation_duration_seconds',
        'Time of an operation on the files of attachments, in seconds: to receive one (stage), to store it for good (commit), and until its first byte can be read (open).',
      ),
    ),
    search: timing(
      'search',
      metrics.durations(
        'operation',
        'logbook_search_operation_duration_seconds',
        'Time of an operation of the search index, in seconds, without the time that a request waits for its turn.',
      ),
    ),
  };
}
