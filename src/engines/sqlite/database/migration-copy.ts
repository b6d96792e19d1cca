import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, existsSync, realpathSync } from 'node:fs';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../../kernel/log.js';
import { syncDirectory } from '../../../kernel/sync-directory.js';
import { readMark } from '../database-mark.js';
import type { Connection } from './connection.js';
import { readDiskSpace } from './disk-space.js';
import { openDatabase } from './open-database.js';
import { readUnchanged } from './read-unchanged.js';
import { newestSchema, readSchema } from './schema-version.js';

/** A copy of the database made before a migration, in the same directory. */
export interface MigrationCopy {
  /** Absolute path. */
  readonly file: string;
  readonly schema: number;
  readonly madeMs: number;
}

/** Free space that must remain after the copy. */
const marginBytes = 16_777_216;
const partSuffix = '.part';

/** Lists the complete copies of a database, the newest schema first. */
export async function listMigrationCopies(database: string): Promise<MigrationCopy[]> {
  const { dir, prefix } = locationOf(database);
  const copies: MigrationCopy[] = [];
  for (const name of await readdir(dir)) {
    const schema = schemaOf(name, prefix);
    if (schema === undefined) continue;
    const file = join(dir, name);
    copies.push({ file, schema, madeMs: (await stat(file)).mtimeMs });
  }
  return copies.sort((a, b) => b.schema - a.schema);
}

/**
 * Copies a database before its migration; no effect if there is no database or it has the newest schema. Removes the
 * remains of an interrupted copy. The data directory must be locked, so that nothing is written in the meantime.
 * @param isWanted false: nothing is copied
 * @returns connection to close once the database is open. It prevents the removal of the write-ahead log, which the
 * next start would miss if this one is interrupted.
 * @throws Error with instructions when the disk has too little space, or another program is reading the database
 */
export async function copyBeforeMigration(
  database: string,
  isWanted: boolean,
  log: Log,
): Promise<Connection | undefined> {
  if (!existsSync(database)) return undefined;
  const { dir, prefix } = locationOf(database);
  for (const name of await readdir(dir)) {
    if (name.startsWith(prefix) && name.endsWith(partSuffix)) await rm(join(dir, name), { force: true });
  }
  const schema = await readUnchanged(database, readSchema);
  if (schema === 0 || schema >= newestSchema) return undefined;
  const { rewrittenBytes } = await import('./migrations.js');
  const fields = { fromSchema: schema, toSchema: newestSchema };
  if (!isWanted) {
    requireSpace({ database, schema }, await readUnchanged(database, (one) => rewrittenBytes(one, schema)));
    log.warn(fields, 'the database is migrated without a copy');
    return undefined;
  }
  const copy = join(dir, `${prefix}${schema}.sqlite`);
  const connection = await openDatabase(database, 'checkpointer');
  try {
    moveLogIntoFile(connection, database);
    const migrationBytes = rewrittenBytes(connection, schema);
    if (await isSame(connection, database, copy)) {
      requireSpace({ database, schema }, migrationBytes);
      return connection;
    }
    // An existing copy is from an earlier attempt, after which the database was written to with the same schema.
    await rm(copy, { force: true });
    const startedMs = performance.now();
    await copyDurably({ database: realpathSync(database), schema }, copy, migrationBytes);
    const durationMs = Math.round(performance.now() - startedMs);
    log.info({ ...fields, file: copy, durationMs }, 'kept a copy of the database from before its migration');
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** Returns the directory of the file itself rather than of a symbolic link, so that copies are on the same disk. */
function locationOf(database: string): { readonly dir: string; readonly prefix: string } {
  const file = existsSync(database) ? realpathSync(database) : database;
  return { dir: dirname(file), prefix: `${basename(file, '.sqlite')}-schema-` };
}

function schemaOf(name: string, prefix: string): number | undefined {
  if (!name.startsWith(prefix)) return undefined;
  const [, schema] = /^(\d{1,6})[.]sqlite$/.exec(name.slice(prefix.length)) ?? [];
  return schema === undefined ? undefined : Number(schema);
}

/** Moves the write-ahead log into the database file, which is then complete on its own. */
function moveLogIntoFile(connection: Connection, database: string): void {
  const moved = connection.get<{ log: number; checkpointed: number }>('PRAGMA wal_checkpoint(PASSIVE)');
  if (moved?.log === moved?.checkpointed) return;
  throw new Error(
    `Another program, such as a backup, is reading ${database}, which must be copied before it is migrated. Nothing was migrated. Start the service when that program has ended.`,
  );
}

/** Whether the copy has the mark of the database, and nothing was written since the copy was made. */
async function isSame(connection: Connection, database: string, copy: string): Promise<boolean> {
  const [from, to] = await Promise.all([stat(database), stat(copy).catch(() => undefined)]);
  if (to === undefined || to.size !== from.size || to.mtimeMs < from.mtimeMs) return false;
  const mark = readMark(copy);
  return mark !== 0 && mark === connection.get<{ application_id: number }>('PRAGMA application_id')?.application_id;
}

/** Database to migrate, and its current schema. */
interface Migrated {
  readonly database: string;
  readonly schema: number;
}

async function copyDurably(migrated: Migrated, copy: string, migrationBytes: number): Promise<void> {
  const from = migrated.database;
  const part = `${copy}${partSuffix}`;
  try {
    if (await clone(from, part)) {
      requireSpace(migrated, migrationBytes);
    } else {
      requireSpace(migrated, migrationBytes, (await stat(from)).size + marginBytes);
      await copyInProcess(from, part, 0);
    }
    const handle = await open(part, 'r+');
    try {
      await handle.chmod(0o600);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // Only a complete copy gets the final name.
    await rename(part, copy);
    await syncDirectory(dirname(copy));
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}

/** Copies a file by sharing its blocks, which takes neither time nor space; returns false if the file system cannot. */
async function clone(from: string, to: string): Promise<boolean> {
  try {
    await copyInProcess(from, to, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch {
    await rm(to, { force: true });
    return false;
  }
}

/**
 * Copies a database file in a child process. If this process copied it, closing the file would drop its locks, see
 * `readMark`. Rejects if the target exists.
 * @param mode mode of `fs.copyFile`
 */
async function copyInProcess(from: string, to: string, mode: number): Promise<void> {
  const program = fileURLToPath(new URL('./copy-process.js', import.meta.url));
  const child = fork(program, [from, to, String(mode), String(process.pid)], {
    env: {},
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  let problem: unknown;
  child.once('message', (message) => {
    problem = message;
  });
  const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null];
  if (code !== 0) throw new Error(`${from} could not be copied to ${to}: ${problem ?? killedBy ?? code}`);
}

/** @throws Error with instructions when the disk lacks space for the migration and the copy */
function requireSpace({ database, schema }: Migrated, migrationBytes: number, copyBytes = 0): void {
  const needed = migrationBytes + copyBytes;
  const { freeBytes } = readDiskSpace(database);
  if (freeBytes >= needed) return;
  const left = `${megabytes(needed)} MB, and the disk has ${megabytes(freeBytes)} MB left. Nothing was changed. Free some space`;
  const must = `${database} has the schema ${schema} and must be migrated to ${newestSchema}`;
  if (copyBytes === 0) throw new Error(`${must}, which needs ${left}.`);
  throw new Error(
    `${must}. It is copied first, which needs ${left}, or make a backup with the previously installed version and start once with --migration-copy false.`,
  );
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);
