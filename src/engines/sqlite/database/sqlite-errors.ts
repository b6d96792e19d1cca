import { Fault } from '../../../kernel/fault.js';
import { diskFull, storageUnavailable } from '../../../kernel/storage-faults.js';

const sqliteCorrupt = 11;
const sqliteFull = 13;
/**
 * Error code of a failure to create the index of the write-ahead log. A reader without a running writer needs a few kB
 * for it.
 */
const noSpaceForLogIndex = 4874;
const sqliteConstraint = 19;
const sqliteNotADatabase = 26;

/** Error codes by SQLite message, because the package omits the code from errors thrown by `all`. */
const errcodesByMessage: ReadonlyMap<string | undefined, number> = new Map([
  ['database disk image is malformed', sqliteCorrupt],
  ['database or disk is full', sqliteFull],
  ['file is not a database', sqliteNotADatabase],
]);

function findErrcode(error: unknown): number | undefined {
  const { errcode, message } = error as { errcode?: number; message?: string };
  return errcode ?? errcodesByMessage.get(message);
}

function isDiskFull(error: unknown): boolean {
  const { sqliteExtendedCode } = error as { sqliteExtendedCode?: number };
  const errcode = findErrcode(error);
  return errcode === sqliteFull || (sqliteExtendedCode ?? errcode) === noSpaceForLogIndex;
}

/** Whether the file is corrupt or not a database. */
export function isCorruption(error: unknown): boolean {
  const primary = (findErrcode(error) ?? 0) & 0xff;
  return primary === sqliteCorrupt || primary === sqliteNotADatabase;
}

export function describeError(error: unknown): string {
  return `SQLite reports: ${error instanceof Error ? error.message : String(error)}`;
}

/** Turns an SQLite error into a Fault, except a constraint violation, which the caller must explain. */
export function toFault(error: unknown): Error {
  if (error instanceof Fault) return error;
  if (isDiskFull(error)) return diskFull(error);
  const errcode = findErrcode(error);
  if (errcode !== undefined && (errcode & 0xff) === sqliteConstraint) return error as Error;
  return storageUnavailable(error);
}
