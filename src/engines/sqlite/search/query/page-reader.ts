import { damagedEntry } from '../../../../entries/damaged-entry.js';
import { encodeEntry } from '../../../../entries/entry-json.js';
import { freeMemory } from '../../../../kernel/free-memory.js';
import { joinPage, maxPageBytes } from '../../../../search/page-frame.js';
import type { EntryRevision, PageEntries } from '../../../../search/search-index.port.js';
import { unlessDamaged } from '../../../stored-document.js';
import type { Connection } from '../../database/connection.js';
import { findVersionJson } from '../../tables/entries.js';
import { newestSequence } from '../../tables/entry-writes.js';
import { type DocumentBatch, readDocuments } from './document-batch.js';
import { DocumentCache } from './document-cache.js';

/** Maximum number of documents joined by one statement. */
const joinBatchSize = 100;
/** Number of documents that `each` reads at a time, which limits the memory used. */
const shownBatchSize = 16;
/**
 * Maximum total size of the documents cached by each search worker. Pages of the newest entries share most of their
 * documents.
 */
const maxCachedBytes = 8 * 1_048_576;
/** Number of new writes that empties the cache. */
const manyWrites = 1_000;

export interface IdentifiedDocument {
  readonly id: number;
  readonly document: Uint8Array;
}

/** Reads the documents of pages. Caches verified documents of recent pages until their entries are written again. */
export class PageReader {
  private readonly documents = new DocumentCache(maxCachedBytes);
  /** Sequence number of the newest write when the cached documents were read. */
  private sequence = 0;

  constructor(private readonly connection: Connection) {}

  /** Drops the documents of entries written since the last call. Must be called in each transaction. */
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
    const batches: DocumentBatch[] = [];
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
      const batch = readDocuments(this.connection, missing.slice(at, at + joinBatchSize));
      if (!batch) return this.long(ids);
      for (const { id, document } of batch.documents) add(id, document);
      batches.push(batch);
    }
    if (bytes > maxPageBytes || documents.size < ids.length) return this.long(ids);
    const json = joinPage(
      ids.map((id) => documents.get(id) as Uint8Array),
      bytes,
    );
    for (const batch of batches) this.keep(batch);
    return { kind: 'joined', json };
  }

  /**
   * Yields the documents of these entries one by one, each valid until the next. A substitute stands in for a damaged
   * one.
   */
  *each(ids: readonly number[]): Generator<IdentifiedDocument> {
    for (let at = 0; at < ids.length; at += shownBatchSize) {
      const ofBatch = ids.slice(at, at + shownBatchSize);
      const missing = ofBatch.filter((id) => !this.documents.get(id));
      const batch = missing.length > 0 ? readDocuments(this.connection, missing) : undefined;
      const read = new Map(batch?.documents.map(({ id, document }) => [id, document]));
      const isComplete = read.size === missing.length;
      const versions = new Map(isComplete ? [] : this.versionsOf(ofBatch).map((one) => [one.id, one.revision]));
      for (const id of ofBatch) {
        const document = read.get(id) ?? this.documents.get(id);
        yield { id, document: document ?? this.readVersion({ id, revision: versions.get(id) ?? 1 }) };
      }
      if (batch) this.keep(batch);
    }
  }

  /** Yields documents like `each`, for versions found by an earlier search. */
  *eachVersion(versions: readonly EntryRevision[]): Generator<IdentifiedDocument> {
    for (const one of versions) yield { id: one.id, document: this.readVersion(one) };
  }

  versionsOf(ids: readonly number[]): EntryRevision[] {
    return this.connection.all<EntryRevision & Record<string, unknown>>(
      'SELECT entry.id AS id, version AS revision FROM json_each(?) AS wanted CROSS JOIN entry ON entry.id = wanted.value ORDER BY wanted.key',
      JSON.stringify(ids),
    );
  }

  private readVersion({ id, revision }: EntryRevision): Uint8Array {
    const found = unlessDamaged(() => findVersionJson(this.connection, id, revision));
    return found ?? encodeEntry(damagedEntry(id));
  }

  /** Offers the documents of a batch to the cache. The batch must not be used afterwards. */
  private keep({ documents, joined }: DocumentBatch): void {
    for (const { id, document } of documents) this.documents.offer(id, document);
    freeMemory(joined);
  }

  private long(ids: readonly number[]): PageEntries {
    return { kind: 'long', versions: this.versionsOf(ids) };
  }
}
