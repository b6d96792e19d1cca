import { LRUCache } from 'lru-cache';
import { damagedEntry } from '../../../../entries/damaged-entry.js';
import { encodeEntry } from '../../../../entries/entry-json.js';
import { joinPage, maxPageBytes } from '../../../../search/page-frame.js';
import type { EntryVersion, PageEntries } from '../../../../search/search-index.port.js';
import { checksumOf, findDefect, unlessDamaged } from '../../../stored-document.js';
import type { Connection } from '../../database/connection.js';
import { findVersionJson } from '../../tables/entries.js';
import { versionNumber, withVersionNumber } from '../../tables/entry-version.js';
import { newestSequence } from '../../tables/entry-writes.js';

/** How many documents one statement joins. */
const joinBatchSize = 100;
/** How many of the documents that are shown in another form are read at once, so that few of them are in memory. */
const shownBatchSize = 16;
const longEntryBytes = 65_536;
/** Of the documents that each search worker keeps; pages of the newest entries share most of theirs. */
const maxCachedBytes = 8 * 1_048_576;
const documentOverheadBytes = 150;
/** From this many new writes on, all documents are forgotten. */
const manyWrites = 1_000;

interface JoinedDocuments {
  /** Without those that are too long. */
  documents: Uint8Array | null;
  /** The id, the length and the checksum of each, as JSON. */
  parts: string;
  longer: number;
}

export interface IdentifiedDocument {
  readonly id: number;
  readonly document: Uint8Array;
}

/** Reads the documents of pages. It keeps those of the last pages, verified, until their entries are written again. */
export class PageReader {
  private readonly documents = new LRUCache<number, Uint8Array>({
    maxSize: maxCachedBytes,
    sizeCalculation: (document) => document.byteLength + documentOverheadBytes,
  });
  /** The sequence number of the newest write when the documents were read. */
  private sequence = 0;

  constructor(private readonly connection: Connection) {}

  /** Forgets the documents of entries that were written since the last call. Must be called in each transaction. */
  refresh(): void {
    const newest = newestSequence(this.connection);
    if (newest === this.sequence) return;
    const written = this.connection.all<{ id: number }>(
      'SELECT id FROM entry WHERE sequence > ? LIMIT ?',
      this.sequence,
      manyWrites,
    );
    if (written.length === manyWrites) this.documents.clear();
    else for (const { id } of written) this.documents.delete(id);
    this.sequence = newest;
  }

  /** Returns the entries of a page, in the order of `ids`. */
  read(ids: readonly number[]): PageEntries {
    const documents = new Map<number, Uint8Array>();
    let bytes = 0;
    const add = (id: number, document: Uint8Array) => {
      documents.set(id, document);
      bytes += document.byteLength;
    };
    const missing: number[] = [];
    for (const id of ids) {
      const known = this.documents.get(id);
      if (known) add(id, known);
      else missing.push(id);
    }
    for (let at = 0; at < missing.length && bytes <= maxPageBytes; at += joinBatchSize) {
      if (!this.readBatch(missing.slice(at, at + joinBatchSize), add)) return this.long(ids);
    }
    if (bytes > maxPageBytes || documents.size < ids.length) return this.long(ids);
    const inOrder = ids.map((id) => documents.get(id) as Uint8Array);
    return { kind: 'joined', json: joinPage(inOrder, bytes) };
  }

  /** Yields the documents of these entries one by one; a substitute for one that is damaged. */
  *each(ids: readonly number[]): Generator<IdentifiedDocument> {
    for (let at = 0; at < ids.length; at += shownBatchSize) {
      const batch = ids.slice(at, at + shownBatchSize);
      const documents = new Map<number, Uint8Array>();
      for (const id of batch) {
        const known = this.documents.get(id);
        if (known) documents.set(id, known);
      }
      const missing = batch.filter((id) => !documents.has(id));
      if (missing.length > 0) this.readBatch(missing, (id, document) => documents.set(id, document));
      const [longest] = missing.filter((id) => !documents.has(id));
      const versions = new Map(longest === undefined ? [] : this.versionsOf(batch).map((one) => [one.id, one.version]));
      for (const id of batch) {
        yield { id, document: documents.get(id) ?? this.readVersion({ id, version: versions.get(id) ?? 1 }) };
      }
    }
  }

  /** As `each`, for versions that were found earlier. */
  *eachVersion(versions: readonly EntryVersion[]): Generator<IdentifiedDocument> {
    for (const one of versions) yield { id: one.id, document: this.readVersion(one) };
  }

  versionsOf(ids: readonly number[]): EntryVersion[] {
    return this.connection.all<EntryVersion & Record<string, unknown>>(
      'SELECT entry.id AS id, version FROM json_each(?) AS wanted CROSS JOIN entry ON entry.id = wanted.value ORDER BY wanted.key',
      JSON.stringify(ids),
    );
  }

  private readVersion({ id, version }: EntryVersion): Uint8Array {
    const found = unlessDamaged(() => findVersionJson(this.connection, id, version));
    return found ?? encodeEntry(damagedEntry(id));
  }

  /** Reads documents. False when one of them is long or damaged, which is left to the reader of single ones. */
  private readBatch(ids: readonly number[], add: (id: number, document: Uint8Array) => void): boolean {
    // Joined by SQLite: a row for each would take several times as long.
    const row = this.connection.get<JoinedDocuments>(
      `SELECT CAST(group_concat(document, '') FILTER (WHERE octet_length(document) <= ?2) AS BLOB) AS documents,
         json_group_array(json_array(entry.id, octet_length(document), crc)) AS parts,
         count(*) FILTER (WHERE octet_length(document) > ?2) AS longer
       FROM json_each(?1) AS wanted CROSS JOIN entry ON entry.id = wanted.value`,
      JSON.stringify(ids),
      longEntryBytes,
    );
    if (!row?.documents || row.longer > 0) return false;
    let at = 0;
    for (const [id, length, crc] of JSON.parse(row.parts) as [number, number, number | null][]) {
      // A copy: otherwise one document would keep those of all others in memory.
      const stored = row.documents.slice(at, at + length);
      if (crc === null ? findDefect(stored) !== undefined : crc !== checksumOf(stored)) return false;
      const document = withVersionNumber(stored, () => versionNumber(this.connection, id, Number.MAX_SAFE_INTEGER));
      this.documents.set(id, document);
      add(id, document);
      at += length;
    }
    return true;
  }

  private long(ids: readonly number[]): PageEntries {
    return { kind: 'long', versions: this.versionsOf(ids) };
  }
}
