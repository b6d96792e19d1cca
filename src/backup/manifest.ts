import { createHash, type Hash } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { backupTables } from './backup-tables.js';
import type { FileReference } from './file-access.port.js';
import type { Piece } from './piece-writer.js';

/** The version of the format of backups. */
export const backupFormat = 1;

/** What a manifest begins with. */
export interface BackupHeader {
  readonly format: number;
  /** The version of the program that made the backup. */
  readonly product: string;
  readonly name: string;
  readonly storeId: string;
  /** The engine that the documents came from; they can be restored into any. */
  readonly engine: string;
  /** The moment that the documents are of, in milliseconds since the epoch; everything acknowledged before it is in them. */
  readonly takenMs: number;
  readonly highestEntryId: number;
  readonly feedPosition: number;
  /** The columns of each table, in the order of the values in its rows. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
}

/** A file that documents refer to. `state`: why it is not in the backup; undefined: it is. */
export interface BackupFile extends FileReference {
  readonly state?: 'missing' | 'damaged';
}

/** A complete backup. */
export interface Manifest {
  readonly header: BackupHeader;
  readonly pieces: readonly Piece[];
  readonly files: readonly BackupFile[];
  readonly completedMs: number;
}

/** The manifest cannot be trusted. The message says what is wrong with it. */
export class DamagedManifest extends Error {}

/** The lines of a manifest; the last one has the SHA-256 of all before it. */
export function* encodeManifest({ header, pieces, files, completedMs }: Manifest): Generator<string> {
  const hash = createHash('sha256');
  let count = 0;
  const line = (content: object) => {
    const text = `${JSON.stringify(content)}\n`;
    hash.update(text);
    count += 1;
    return text;
  };
  yield line({ backup: header });
  for (const piece of pieces) yield line({ piece });
  for (const file of files) yield line({ file });
  yield `${JSON.stringify({ end: { lines: count, completedMs, sha256: hash.digest('hex') } })}\n`;
}

interface Line {
  readonly backup?: BackupHeader;
  readonly piece?: Piece;
  readonly file?: BackupFile;
  readonly end?: { readonly lines: number; readonly completedMs: number; readonly sha256: string };
}

/** @throws DamagedManifest; Error when the backup is of a newer version of the program */
export async function readManifest(content: Readable): Promise<Manifest> {
  const [pieces, files]: [Piece[], BackupFile[]] = [[], []];
  const hash = createHash('sha256');
  let header: BackupHeader | undefined;
  let count = 0;
  for await (const text of createInterface({ input: content, crlfDelay: Number.POSITIVE_INFINITY })) {
    const { backup, piece, file, end } = parseLine(text);
    if (end) return finish({ header, pieces, files, completedMs: end.completedMs }, end, hash, count);
    if (backup) header = checkFormat(backup);
    if (piece) pieces.push(piece);
    if (file) files.push(file);
    hash.update(`${text}\n`);
    count += 1;
  }
  throw new DamagedManifest('the manifest has no end');
}

function parseLine(text: string): Line {
  try {
    return JSON.parse(text) as Line;
  } catch {
    throw new DamagedManifest('a line of the manifest is not JSON');
  }
}

function checkFormat(header: BackupHeader): BackupHeader {
  if (header.format === backupFormat) return header;
  throw new Error(
    `The backup ${header.name} has the format ${header.format}, which this version of the program cannot read: it knows ${backupFormat}. Use the version ${header.product} or a newer one.`,
  );
}

function finish(
  { header, ...manifest }: Omit<Manifest, 'header'> & { readonly header: BackupHeader | undefined },
  end: NonNullable<Line['end']>,
  hash: Hash,
  count: number,
): Manifest {
  if (!header || end.lines !== count || end.sha256 !== hash.digest('hex')) {
    throw new DamagedManifest('the manifest does not match its own SHA-256');
  }
  const read = { header, ...manifest };
  if (!isWellFormed(read)) throw new DamagedManifest('the manifest was not written by this program');
  requireKnownColumns(header);
  return read;
}

/** Its own SHA-256 does not tell who wrote a manifest; names in it become paths. */
function isWellFormed({ header, pieces, files }: Manifest): boolean {
  const { name, takenMs, highestEntryId, feedPosition, tables } = header;
  const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
  return (
    isBackupName(name) &&
    typeof header.storeId === 'string' &&
    [takenMs, highestEntryId, feedPosition].every(isCount) &&
    Object.values(tables ?? {}).every((columns) => Array.isArray(columns)) &&
    [...pieces, ...files].every(({ checksum, size }) => /^[0-9a-f]{64}$/.test(checksum) && isCount(size)) &&
    pieces.every(({ table, rows, first, last }) => {
      return tables?.[table] !== undefined && isCount(rows) && Array.isArray(first) && Array.isArray(last);
    })
  );
}

/** Rows and columns that this version does not know would be left out, without a word. */
function requireKnownColumns({ name, product, tables }: BackupHeader): void {
  for (const [table, columns] of Object.entries(tables)) {
    const known = backupTables.find((one) => one.name === table)?.columns ?? [];
    const unknown = known.length === 0 ? table : columns.find((column) => !known.includes(column));
    if (unknown === undefined) continue;
    throw new Error(
      `The backup ${name} has the data “${unknown}”, which this version of the program does not know. Use the version ${product} or a newer one.`,
    );
  }
}

const suffix = '.manifest';

/** The name of the object with the manifest of a backup. */
export const manifestName = (backup: string): string => `${backup}${suffix}`;

const isBackupName = (name: unknown): boolean => typeof name === 'string' && /^\d{8}T\d{6}Z(-\d+)?$/.test(name);

/** Undefined when the object is not a manifest. */
export function backupOfManifest(name: string): string | undefined {
  const backup = name.endsWith(suffix) ? name.slice(0, -suffix.length) : '';
  return isBackupName(backup) ? backup : undefined;
}

/** Whether an object that is no manifest may have been one, such as one that an operator has renamed. */
export const isManifestLike = (name: string): boolean =>
  backupOfManifest(name) === undefined && /manifest|\d{8}T\d{6}Z/.test(name);

/** The name of a backup that begins now: its time in UTC, such as `20261231T235959Z`. */
export function newBackupName(nowMs: number, taken: ReadonlySet<string>): string {
  const base = new Date(nowMs).toISOString().replace(/[-:]|[.]\d+/g, '');
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}-${number}`;
  return name;
}

/** The time in the name of a backup, in milliseconds since the epoch. */
export function timeOfBackup(name: string): number {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/.exec(name) ?? [];
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
}
