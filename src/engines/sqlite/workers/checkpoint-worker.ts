import type { Connection } from '../database/connection.js';
import { newestRedaction } from '../search/index/removed-content.js';
import type { TaskResult } from './messages.js';
import { openDocuments, runTask } from './worker-thread.js';

const niceness = 2;
let checkpointer: Connection | undefined;

/** Runs one checkpoint of the documents. */
export function run(): Promise<TaskResult> {
  return runTask(niceness, async () => {
    checkpointer ??= await openDocuments('checkpointer');
    checkpoint(checkpointer);
    return { kind: 'done' };
  });
}

/** Length of the write-ahead log (32 MB) above which it is restarted from the beginning. */
const longLogPages = 8_192;

/**
 * Runs a checkpoint. It never waits, and blocks the writer only briefly, while it restarts a long log. If a reader uses
 * the log, the next checkpoint tries again.
 */
function checkpoint(connection: Connection): void {
  const { log } = connection.get<{ log: number }>('PRAGMA wal_checkpoint(PASSIVE)') ?? { log: 0 };
  if (log > longLogPages) connection.get('PRAGMA wal_checkpoint(RESTART)');
  forgetRemoved(connection);
}

/** Number of the newest redaction after which this process emptied the log. */
let emptiedAfter = 0;

/** Empties the log, which may still contain redacted content. If a reader uses it, the next checkpoint tries again. */
function forgetRemoved(connection: Connection): void {
  const newest = newestRedaction(connection);
  if (newest <= emptiedAfter) return;
  const { busy } = connection.get<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)') ?? { busy: 1 };
  if (busy === 0) emptiedAfter = newest;
}
