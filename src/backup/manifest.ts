import { createHash, type Hash } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
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

/** @throws DamagedManifest; Error when the backup has a format of a newer version of the program */
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

/** Reads the header alone, which is not verified; undefined when there is none. */
export async function readHeader(content: Readable): Promise<BackupHeader | undefined> {
  try {
    for await (const text of createInterface({ input: content, crlfDelay: Number.POSITIVE_INFINITY })) {
      return parseLine(text).backup;
    }
  } catch (error) {
    if (!(error instanceof DamagedManifest)) throw error;
  } finally {
    content.destroy();
  }
  return undefined;
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
  return { header, ...manifest };
}

const suffix = '.manifest';

/** The name of the object with the manifest of a backup. */
export const manifestName = (backup: string): string => `${backup}${suffix}`;

/** Undefined when the object is not a manifest. */
export function backupOfManifest(name: string): string | undefined {
  return /^\d{8}T\d{6}Z(-\d{1,9})?[.]manifest$/.test(name) ? name.slice(0, -suffix.length) : undefined;
}

/**
 * The name of a backup that begins now: its time in UTC, such as `20261231T235959Z`. It follows all that are taken; after
 * one of a clock that was ahead, it is the name of that one with a number.
 */
export function newBackupName(nowMs: number, taken: readonly string[]): string {
  const name = new Date(nowMs).toISOString().replace(/[-:]|[.]\d+/g, '');
  const newest = taken.toSorted(compareBackups).at(-1);
  if (newest === undefined || compareBackups(name, newest) > 0) return name;
  const { base, number } = partsOf(newest);
  return `${base}-${number + 1}`;
}

/** Orders names of backups as the backups were made, whatever the clock said. */
export function compareBackups(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  if (first.base !== second.base) return first.base < second.base ? -1 : 1;
  return first.number - second.number;
}

function partsOf(name: string): { readonly base: string; readonly number: number } {
  const [base = '', number = '1'] = name.split('-');
  return { base, number: Number(number) };
}

/** By so much, clocks of machines that make backups of one logbook may differ. */
const toleranceMs = 300_000;

/** Whether a backup was made with a clock that was ahead: its time says nothing of its age. */
export const isFromFuture = (takenMs: number, nowMs: number): boolean => takenMs > nowMs + toleranceMs;
