import { crc32 } from 'node:zlib';
import { isDamage } from '../entries/unless-damaged.js';
import { Fault } from '../kernel/fault.js';
import type { Damage } from '../kernel/integrity.js';

/** Receives reports of damaged documents; the engine adds the path. */
export interface DocumentDamageReports {
  readonly reportDamage: (damage: Omit<Damage, 'path'>) => void;
}

/** A stored document with its checksum; null if an earlier version of the program stored it without one. */
export interface DocumentRow<T extends string | Uint8Array = string> {
  readonly document: T;
  readonly crc: number | null;
}

/** Returns the checksum stored with a document: the CRC-32 of its UTF-8 bytes. */
export function checksumOf(document: string | Uint8Array): number {
  return crc32(document);
}

export function isIntact({ document, crc }: DocumentRow<string | Uint8Array>): boolean {
  return crc === null ? findDefect(document) === undefined : crc === checksumOf(document);
}

/**
 * Returns the document of a row after verifying its checksum, so that a bit flipped on disk is never taken for data.
 * @param subject names the document in the report, such as `entry 41`
 * @param findEntries returns the entries to name in the report
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

/** Returns the defect of a document stored without a checksum; undefined if none is apparent. */
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

/** Reports damage found by a check rather than by a reader. */
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

/** Returns the content of a document; undefined, after a report, if it is damaged. */
export function parseIntact<T>(reports: DocumentDamageReports, subject: string, row: DocumentRow): T | undefined {
  return unlessDamaged(() => {
    const document = readDocument(reports, subject, row);
    try {
      return JSON.parse(document) as T;
    } catch (error) {
      // The checksum matches, so the document was already invalid when it was stored.
      throw damaged(reports, subject, `the stored document is not valid JSON (${(error as Error).message})`);
    }
  });
}

/** Returns the result of `read`; undefined if the document is damaged. One damaged item must not hide a whole list. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** Position in a list, newest first: the next page has at most `limit` rows with lower ids. */
export interface ListPosition {
  readonly beforeId: number;
  readonly limit: number;
}

/**
 * Lists up to `limit` undamaged rows, newest first. Damaged rows are skipped and replaced by the next ones, because
 * clients take a short page for the last one.
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
