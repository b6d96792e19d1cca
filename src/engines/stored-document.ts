import { crc32 } from 'node:zlib';
import { isDamage } from '../entries/unless-damaged.js';
import { Fault } from '../kernel/fault.js';
import type { Damage } from '../kernel/integrity.js';

/** Takes reports of damaged documents; the engine adds where they are stored. */
export interface DocumentDamageReports {
  readonly reportDamage: (damage: Omit<Damage, 'path'>) => void;
}

/** A stored document with its checksum; null when it was stored by a version that recorded none. */
export interface DocumentRow<T extends string | Uint8Array = string> {
  readonly document: T;
  readonly crc: number | null;
}

/** The checksum that is stored with a document: its CRC-32 in UTF-8. */
export function checksumOf(document: string | Uint8Array): number {
  return crc32(document);
}

export function isIntact({ document, crc }: DocumentRow<string | Uint8Array>): boolean {
  return crc === null ? findDefect(document) === undefined : crc === checksumOf(document);
}

/**
 * Returns the document of a row after a check of its checksum, so that a flipped bit on the disk is never taken for
 * data.
 * @param subject names the document in the report, such as `entry 41`
 * @param findEntries returns the entries that it belongs to, for the report
 * @throws Fault broken `storage.damaged`
 */
export function readDocument<T extends string | Uint8Array>(
  reports: DocumentDamageReports,
  subject: string,
  { document, crc }: DocumentRow<T>,
  findEntries?: () => readonly number[],
): T {
  if (crc === checksumOf(document)) return document;
  const reason = crc === null ? findDefect(document) : 'the stored document does not match its checksum';
  if (reason === undefined) return document;
  throw damaged(reports, subject, reason, findEntries?.());
}

/** Returns what is wrong with a document that was stored without a checksum; undefined when nothing shows damage. */
export function findDefect(document: string | Uint8Array): string | undefined {
  try {
    const text = typeof document === 'string' ? document : new TextDecoder('utf-8', { fatal: true }).decode(document);
    const content: unknown = JSON.parse(text);
    const isFilled = typeof content === 'object' && content !== null && Object.keys(content).length > 0;
    return isFilled ? undefined : 'the stored document is empty';
  } catch (error) {
    return `the stored document is not valid JSON in UTF-8 (${(error as Error).message})`;
  }
}

/** Reports damage that was found while no reader waits for the document. */
export function reportDefect(
  reports: DocumentDamageReports,
  subject: string,
  reason: string,
  entryIds: readonly number[],
): void {
  damaged(reports, subject, reason, entryIds);
}

function damaged(
  reports: DocumentDamageReports,
  subject: string,
  reason: string,
  entryIds: readonly number[] = [],
): Fault {
  const entries = entryIds.length > 0 ? { entryIds } : {};
  reports.reportDamage({ kind: 'document', subject, reason, ...entries });
  return new Fault(
    'broken',
    'storage.damaged',
    `The stored data of ${subject} are damaged and cannot be shown. The log of the service says what to do.`,
  );
}

/** Returns the content of a document; undefined when it is damaged, which is reported. */
export function parseIntact<T>(reports: DocumentDamageReports, subject: string, row: DocumentRow): T | undefined {
  return unlessDamaged(() => {
    const document = readDocument(reports, subject, row);
    try {
      return JSON.parse(document) as T;
    } catch (error) {
      // Stored by a version that recorded no checksum.
      throw damaged(reports, subject, `the stored document is not valid JSON (${(error as Error).message})`);
    }
  });
}

/** Returns what `read` returns; undefined when the document is damaged: one damaged item must not hide a whole list. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Continuation of a list, newest first: rows of lower ids, and their maximum number. */
export interface ListPosition {
  readonly beforeId: number;
  readonly limit: number;
}

/**
 * Lists at most `limit` rows that are not damaged, newest first. A damaged one is passed over, and the page is full
 * nevertheless: a client that pages would take a shorter one for the last.
 */
export async function listIntact<Row extends { readonly id: number }, T>(
  { beforeId, limit }: ListPosition,
  read: (position: ListPosition) => readonly Row[] | Promise<readonly Row[]>,
  parse: (row: Row) => T | undefined,
): Promise<T[]> {
  const found: T[] = [];
  let before = beforeId;
  while (found.length < limit) {
    const wanted = limit - found.length;
    const rows = await read({ beforeId: before, limit: wanted });
    for (const row of rows) {
      const item = parse(row);
      if (item) found.push(item);
      before = row.id;
    }
    if (rows.length < wanted) break;
  }
  return found;
}
