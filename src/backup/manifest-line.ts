import type { FileReference } from './file-access.port.js';
import type { ManifestSignature } from './manifest-signature.js';
import type { TablePiece } from './table-piece-writer.js';

/** Version of the format of new backups. Earlier formats are read, too. */
export const backupFormat = 2;

/** Whether this version of the program can read a format. */
export const isReadable = (format: unknown): boolean =>
  Number.isSafeInteger(format) && Number(format) >= 1 && Number(format) <= backupFormat;

/** First part of a manifest. */
export interface BackupHeader {
  readonly format: number;
  /** The version of the program that made the backup. */
  readonly product: string;
  readonly name: string;
  readonly storeId: string;
  /** Engine from which the documents were read. They can be restored into any engine. */
  readonly engine: string;
  /** Time of the snapshot, in milliseconds since the epoch. The backup contains every write acknowledged before. */
  readonly takenMs: number;
  readonly highestEntryId: number;
  readonly feedPosition: number;
  /** The columns of each table, in the order of the values in its rows. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
}

/** A file to which documents refer. `state`: the reason why the backup lacks it; undefined: it does not. */
export interface BackupFile extends FileReference {
  readonly state?: 'missing' | 'damaged';
}

/** Last line of a manifest. */
export interface End {
  readonly lines: number;
  readonly completedMs: number;
  readonly sha256: string;
  /** Undefined: an earlier version, which made no signatures, made the backup. */
  readonly signature?: ManifestSignature;
}

/** A line of a manifest, with exactly one of these keys. */
export interface ManifestLine {
  readonly backup?: BackupHeader;
  readonly piece?: TablePiece;
  readonly file?: BackupFile;
  readonly end?: End;
}

/** Maximum length of a line. The longest lines have the columns of all tables, or the keys of two rows. */
export const maxLineBytes = 1_048_576;

/**
 * Parses a line; undefined when no backup writes such a line. The check is strict, because values become names of
 * objects and numbers of bytes.
 */
export function parseManifestLine(text: string): ManifestLine | undefined {
  let line: Readonly<Record<string, unknown>> | null;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof line !== 'object' || line === null) return undefined;
  const isValid = Object.entries(checks).every(([part, check]) => {
    const value = line[part];
    return value === undefined || (typeof value === 'object' && value !== null && check(value as Fields));
  });
  return isValid ? (line as ManifestLine) : undefined;
}

type Fields = Readonly<Record<string, unknown>>;

const isChecksum = (value: unknown): boolean => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const isList = (value: unknown, isItem: (item: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isItem);
const isText = (value: unknown): boolean => typeof value === 'string';
const isValue = (value: unknown): boolean => value === null || ['string', 'number'].includes(typeof value);
/** Checks ids and names, which occur in messages. */
const isWord = (value: unknown): boolean => typeof value === 'string' && /^[\w.+-]{0,100}$/.test(value);

function isHeader({ storeId, engine, tables, takenMs, highestEntryId, feedPosition }: Fields): boolean {
  return (
    [storeId, engine].every(isWord) &&
    [takenMs, highestEntryId, feedPosition].every(isCount) &&
    typeof tables === 'object' &&
    tables !== null &&
    Object.values(tables).every((columns) => isList(columns, isText))
  );
}

const checks: Readonly<Record<keyof ManifestLine, (fields: Fields) => boolean>> = {
  backup: ({ format, product, name, ...others }) =>
    [product, name].every(isWord) &&
    // A newer format may have other fields, and is refused by its number.
    (!isReadable(format) || isHeader(others)),
  piece: ({ table, checksum, size, rows, first, last }) =>
    isText(table) &&
    isChecksum(checksum) &&
    [size, rows].every(isCount) &&
    [first, last].every((row) => isList(row, isValue)),
  // The checksum in a damaged row can be any text. The pool has no such file.
  file: ({ checksum, size, state }) =>
    isCount(size) && (state === undefined ? isChecksum(checksum) : isText(checksum) && isText(state)),
  end: ({ lines, completedMs, sha256 }) => isCount(lines) && isCount(completedMs) && isChecksum(sha256),
};
