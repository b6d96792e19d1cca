import { createHash, type KeyObject } from 'node:crypto';
import type { Readable } from 'node:stream';
import { boundedLines } from './bounded-lines.js';
import { renameColumns, renameTable } from './former-names.js';
import {
  type BackupFile,
  type BackupHeader,
  backupFormat,
  type End,
  isReadable,
  type ManifestLine,
  maxLineBytes,
  parseManifestLine,
} from './manifest-line.js';
import { type Authenticity, authenticate, signManifest } from './manifest-signature.js';
import type { TablePiece } from './table-piece-writer.js';

/** A complete backup. */
export interface Manifest {
  readonly header: BackupHeader;
  readonly pieces: readonly TablePiece[];
  readonly files: readonly BackupFile[];
  readonly completedMs: number;
}

export interface ReadManifest extends Manifest {
  readonly authenticity: Authenticity;
}

/** Maximum size of a manifest, enough for more than five million files. It is held in memory. */
const maxManifestBytes = 536_870_912;

/** Thrown when a manifest is damaged or describes another backup. The message states the problem. */
export class DamagedManifest extends Error {}

/**
 * Yields the lines of a manifest. The last one has the SHA-256 of all earlier lines, and a signature.
 * @throws Error when it would be too large for `readManifest`
 */
export function* encodeManifest(
  { header, pieces, files, completedMs }: Manifest,
  privateKey: KeyObject,
): Generator<string> {
  const hash = createHash('sha256');
  let [lines, bytes] = [0, 0];
  const line = (content: ManifestLine) => {
    const text = `${JSON.stringify(content)}\n`;
    hash.update(text);
    lines += 1;
    bytes += Buffer.byteLength(text);
    if (bytes > maxManifestBytes) throw new Error('The logbook has more files than the manifest of a backup can list.');
    return text;
  };
  yield line({ backup: header });
  for (const piece of pieces) yield line({ piece });
  for (const file of files) yield line({ file });
  const end = { lines, completedMs, sha256: hash.digest('hex') };
  const { storeId, name } = header;
  yield `${JSON.stringify({ end: { ...end, signature: signManifest({ ...end, storeId, name }, privateKey) } })}\n`;
}

/**
 * Reads a manifest and verifies its name and signature.
 * @param name name of the backup that the manifest must describe
 * @param keys the public keys that are trusted
 * @throws DamagedManifest; Error when the backup has a format of a newer version of the program
 */
export async function readManifest(content: Readable, name: string, keys: readonly KeyObject[]): Promise<ReadManifest> {
  const [pieces, files]: [TablePiece[], BackupFile[]] = [[], []];
  const hash = createHash('sha256');
  let header: BackupHeader | undefined;
  let [lines, bytes] = [0, 0];
  for await (const text of boundedLines(content, maxLineBytes)) {
    const { backup, piece, file, end } = parseLine(text);
    if (end) {
      const { completedMs, ...found } = finish(header, { lines, sha256: hash.digest('hex') }, end, keys);
      if (found.header.name !== name)
        throw new DamagedManifest(`the manifest is that of the backup ${found.header.name}`);
      return { ...found, pieces, files, completedMs };
    }
    if (backup) header = renameColumns(checkFormat(backup));
    if (piece) pieces.push(header ? renameTable(piece, header) : piece);
    if (file) files.push(file);
    hash.update(`${text}\n`);
    lines += 1;
    bytes += text.length;
    if (bytes > maxManifestBytes) throw new DamagedManifest(`the manifest has more than ${maxManifestBytes} bytes`);
  }
  throw new DamagedManifest('the manifest has no end');
}

function parseLine(text: string): ManifestLine {
  const line = parseManifestLine(text);
  if (!line) throw new DamagedManifest('a line of the manifest is damaged');
  return line;
}

function checkFormat(header: BackupHeader): BackupHeader {
  if (isReadable(header.format)) return header;
  throw new Error(
    `The backup ${header.name} has the format ${header.format}, which this version of the program cannot read: it knows formats up to ${backupFormat}. Use the version ${header.product} or a newer one.`,
  );
}

function finish(
  header: BackupHeader | undefined,
  found: Pick<End, 'lines' | 'sha256'>,
  { signature, ...end }: End,
  keys: readonly KeyObject[],
): Pick<ReadManifest, 'header' | 'completedMs' | 'authenticity'> {
  if (!header || end.lines !== found.lines || end.sha256 !== found.sha256) {
    throw new DamagedManifest('the manifest does not match its own SHA-256');
  }
  const { storeId, name } = header;
  const { completedMs } = end;
  return { header, completedMs, authenticity: authenticate({ ...end, storeId, name }, signature, keys) };
}

const suffix = '.manifest';
/** Maximum number after the time in the name of a backup. */
const maxNumber = 999_999_999;

export const manifestName = (backup: string): string => `${backup}${suffix}`;

/** Returns the name of the backup; undefined when the object is not a manifest. */
export function backupOfManifest(name: string): string | undefined {
  return /^\d{8}T\d{6}Z(-\d{1,9})?[.]manifest$/.test(name) ? name.slice(0, -suffix.length) : undefined;
}

/**
 * Returns the name of a new backup: its time in UTC, such as `20261231T235959Z`. It sorts after all existing names; if
 * one of them is in the future because a clock was ahead, the new name is that name with a number.
 */
export function newBackupName(nowMs: number, taken: readonly string[]): string {
  const name = new Date(nowMs).toISOString().replace(/[-:]|[.]\d+/g, '');
  const newest = taken.toSorted(compareBackups).at(-1);
  if (newest === undefined || compareBackups(name, newest) > 0) return name;
  const { base, number } = partsOf(newest);
  if (number < maxNumber) return `${base}-${number + 1}`;
  throw new Error(
    `No name sorts after the manifest ${manifestName(newest)}. If this manifest is not yours, move it elsewhere.`,
  );
}

/** Compares names of backups by the order in which the backups were made, even if the clock was wrong. */
export function compareBackups(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)];
  if (first.base !== second.base) return first.base < second.base ? -1 : 1;
  return first.number - second.number;
}

function partsOf(name: string): { readonly base: string; readonly number: number } {
  const [base = '', number = '1'] = name.split('-');
  return { base, number: Number(number) };
}

/** Tolerance between the clocks of machines that make backups of one logbook. */
const toleranceMs = 300_000;

/** Whether a backup was made with a clock that was ahead, so that its age is unknown. */
export const isFromFuture = (takenMs: number, nowMs: number): boolean => takenMs > nowMs + toleranceMs;
