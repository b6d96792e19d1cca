import { Fault } from '../../../kernel/fault.js';

const sqliteCorrupt = 11;
const sqliteFull = 13;
const sqliteConstraint = 19;
const sqliteNotADatabase = 26;
const primaryKeyViolation = 1555;
const uniqueViolation = 2067;

/** SQLite's words where its number is missing: the package leaves it out of what `all` throws. */
const errcodeOfMessage: ReadonlyMap<string | undefined, number> = new Map([
  ['database disk image is malformed', sqliteCorrupt],
  ['database or disk is full', sqliteFull],
  ['file is not a database', sqliteNotADatabase],
]);

function errcodeOf(error: unknown): number | undefined {
  const { errcode, message } = error as { errcode?: number; message?: string };
  return errcode ?? errcodeOfMessage.get(message);
}

/** True when the file is no database, or a damaged one. */
export function isDamage(error: unknown): boolean {
  const primary = (errcodeOf(error) ?? 0) & 0xff;
  return primary === sqliteCorrupt || primary === sqliteNotADatabase;
}

/** True for the violation of a uniqueness constraint. */
export function isUniqueViolation(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode === uniqueViolation || errcode === primaryKeyViolation;
}

export function diskFull(cause?: unknown): Fault {
  return new Fault(
    'full',
    'storage.full',
    'The disk of the logbook is full; nothing was stored. Free some space and try again.',
    { cause },
  );
}

/** Turns an error of SQLite into a Fault; a violated constraint stays as it is, for the caller to explain. */
export function toFault(error: unknown): Error {
  if (error instanceof Fault) return error;
  const errcode = errcodeOf(error);
  if (errcode === sqliteFull) return diskFull(error);
  if (errcode !== undefined && (errcode & 0xff) === sqliteConstraint) return error as Error;
  return new Fault(
    'unavailable',
    'storage.unavailable',
    'The storage is unavailable; nothing was stored. The log of the service has the reason. Try again later.',
    { cause: error },
  );
}
