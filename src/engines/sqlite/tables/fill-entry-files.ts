import { setTimeout as sleep } from 'node:timers/promises';
import type { Job } from '../../../kernel/background-job.js';
import type { Statements } from '../database/connection.js';
import { type FilledUpTo, positionKey, readPosition, recordFiles } from './entry-files.js';

/**
 * Records the files of entries stored by an earlier version of the program. The migration only notes where to begin;
 * this job does the work in id order, in short steps while the service runs.
 */

/** Time limit of one step, which is one write. */
const stepMs = 4;
/** Pause between two steps, so that other writes do not have to wait for all of them. */
const pauseMs = 10;

/** Returns the job that records the files; it ends after its last step. */
export function backfillEntryFilesJob(step: () => Promise<boolean>): Job {
  return {
    name: 'entry-files',
    retryMs: 60_000,
    failure: 'recording the files of earlier entries failed; will retry',
    async run(signal) {
      if (!(await step())) return 'idle';
      await sleep(pauseMs, undefined, { signal });
      return 'more';
    },
  };
}

/** Returns whether there are files to record. */
export function needsFilling(connection: Statements): boolean {
  return readPosition(connection) !== undefined;
}

/** Records the files of further versions for a few milliseconds; returns false if there are no more. */
export function fillEntryFiles(connection: Statements): boolean {
  const endMs = performance.now() + stepMs;
  let position = readPosition(connection);
  while (position && performance.now() < endMs) {
    position = findNext(connection, position);
    if (position) recordStored(connection, position);
  }
  if (!position) {
    connection.run('DELETE FROM store WHERE key = ?', positionKey);
    connection.run('DROP INDEX IF EXISTS attachment_entry_fill');
    return false;
  }
  connection.run('UPDATE store SET value = ? WHERE key = ?', JSON.stringify(position), positionKey);
  return true;
}

function findNext(connection: Statements, { entryId, version }: FilledUpTo): FilledUpTo | undefined {
  const later = connection.get<{ version: number | null }>(
    `SELECT min(version) AS version FROM (
       SELECT min(version) AS version FROM archived_entry WHERE entry_id = ?1 AND version > ?2
       UNION ALL SELECT version FROM entry WHERE id = ?1 AND version > ?2
     )`,
    entryId,
    version,
  );
  if (typeof later?.version === 'number') return { entryId, version: later.version };
  const next = connection.get<{ id: number | null }>(
    'SELECT min(entry_id) AS id FROM attachment_entry WHERE entry_id > ?',
    entryId,
  );
  return typeof next?.id === 'number' ? findNext(connection, { entryId: next.id, version: 0 }) : undefined;
}

function recordStored(connection: Statements, { entryId, version }: FilledUpTo): void {
  const row = connection.get<{ logbooks: string; attachments: string }>(
    `SELECT document -> '$.logbooks' AS logbooks, document -> '$.attachments' AS attachments FROM (
       SELECT document FROM entry WHERE id = ?1 AND version = ?2
       UNION ALL SELECT document FROM archived_entry WHERE entry_id = ?1 AND version = ?2
     ) WHERE json_valid(document)`,
    entryId,
    version,
  );
  // A damaged version shows no files; reading it reports the damage.
  if (!row) return;
  const [logbooks, attachments] = [JSON.parse(row.logbooks), JSON.parse(row.attachments)];
  recordFiles(connection, entryId, version, { logbooks, attachments });
}
