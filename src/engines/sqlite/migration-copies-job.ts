import { rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Job } from '../../kernel/background-job.js';
import type { Log } from '../../kernel/log.js';
import type { AgeDeps } from '../../kernel/removal-by-age.js';
import { syncDirectory } from '../../kernel/sync-directory.js';
import type { Connection } from './database/connection.js';
import { listMigrationCopies, type MigrationCopy } from './database/migration-copy.js';
import { readUnchanged } from './database/read-unchanged.js';
import { newestRedaction } from './search/index/removed-content.js';

/** Time for which a copy is kept after the migration. */
const keptMs = 7 * 86_400_000;

interface Deps extends AgeDeps {
  readonly file: string;
  readonly reader: Pick<Connection, 'get'>;
  /** Whether this process has checked the pages of the migrated database and found them intact. */
  readonly isIntact: () => boolean;
  readonly log: Log;
}

interface KnownCopy extends MigrationCopy {
  /** Number of the newest redaction in the copy; 0: there is none. */
  readonly newestRedaction: number;
}

/**
 * Job that removes the copies made before migrations. A copy is removed after a week if the clock is trusted and the
 * migrated database is intact, or immediately if the copy has content that was redacted since. Each commit must trigger
 * the job.
 */
export function migrationCopiesJob({ file, reader, isIntact, clock, clockWatch, log }: Deps): Job {
  // The list stays valid: no other process makes copies, and this one makes none after startup.
  let copies: readonly KnownCopy[] | undefined;
  return {
    name: 'migration-copies',
    intervalMs: 3_600_000,
    delayMs: 1_000,
    retryMs: 60_000,
    failure: 'removing a copy of the database from before a migration failed; will retry',
    async run() {
      copies ??= await Promise.all((await listMigrationCopies(file)).map(readCopy));
      for (const copy of copies) {
        const isRedacted = newestRedaction(reader) > copy.newestRedaction;
        const isOld = clock.nowMs() - copy.madeMs > keptMs && clockWatch.mayRemoveByAge() && isIntact();
        if (!isRedacted && !isOld) continue;
        await rm(copy.file, { force: true });
        await syncDirectory(dirname(copy.file));
        copies = copies.filter((one) => one !== copy);
        const reason = isRedacted ? 'the copy still had content that was redacted' : 'the migrated database is intact';
        log.info({ file: basename(copy.file), reason }, 'removed the copy of the database from before a migration');
      }
      return 'idle';
    },
  };
}

async function readCopy(copy: MigrationCopy): Promise<KnownCopy> {
  const newest = await readUnchanged(copy.file, (connection) =>
    connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'redaction'") ? newestRedaction(connection) : 0,
  );
  return { ...copy, newestRedaction: newest };
}
