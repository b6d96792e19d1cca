import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { OnFinding } from '../../../backup/data-finding.js';
import { kinds } from '../../search-terms.js';
import type { Connection } from '../database/connection.js';
import { openDatabase } from '../database/open-database.js';
import { documentsFile } from '../inspect-documents.js';
import { type Container, chunkOf, decode, empty, has, idOf, lowsOf } from '../search/index/containers.js';
import {
  chunkOfKey,
  isMarkedCorrupt,
  keysOfTerm,
  openIndexForReading,
  readState,
} from '../search/index/index-database.js';
import { indexFilesIn } from '../search/index/index-files.js';
import { containsWrite } from '../tables/entry-writes.js';

const batchEntries = 1_000;
/** Maximum number of entries named in a finding. */
const maxNamed = 20;
const advice = 'Searches may miss entries: run “verify --repair” or “rebuild-index”. No entry is lost.';

/**
 * Checks that the search index of a data directory contains exactly the entries of the documents, in the same versions.
 * The service may be running. Writes later than the newest indexed one are ignored.
 * @returns whether the index matches the documents
 */
export async function compareIndex(dataDir: string, onFinding: OnFinding): Promise<boolean> {
  const file = indexFilesIn(dataDir).find((one) => existsSync(one) && !isMarkedCorrupt(one));
  if (file === undefined) {
    onFinding({
      kind: 'notice',
      subject: 'the search index',
      what: 'it is missing or damaged',
      isRepairable: true,
      advice: 'The start of the service rebuilds it; so does “verify --repair”.',
    });
    return false;
  }
  const index = await openIndexForReading(file);
  const documents = await openDatabase(join(dataDir, documentsFile), 'reader');
  try {
    // The index snapshot begins first, so that the documents include every indexed write.
    index.exec('BEGIN');
    const state = readState(index);
    documents.exec('BEGIN');
    return new Comparison(basename(file), index, documents, onFinding).compare(state);
  } finally {
    index.rollBack();
    documents.rollBack();
    index.close();
    documents.close();
  }
}

class Comparison {
  private differences = 0;

  constructor(
    private readonly file: string,
    private readonly index: Connection,
    private readonly documents: Connection,
    private readonly onFinding: OnFinding,
  ) {}

  compare({ runId, sequence }: { readonly runId: string; readonly sequence: number }): boolean {
    const problems = this.index.all<{ integrity_check: string }>('PRAGMA integrity_check(3)');
    for (const { integrity_check: found } of problems) if (found !== 'ok') this.report(found);
    if (sequence > 0 && !containsWrite(this.documents, runId, sequence)) {
      this.report('it was built from writes that the documents do not have');
      return false;
    }
    this.compareEntries(this.readEntries(), sequence);
    if (this.differences > maxNamed) this.send(`${this.differences - maxNamed} more differences`);
    return this.differences === 0;
  }

  /** Returns the entries in the index, by chunk. */
  private readEntries(): Map<number, Container> {
    const chunks = new Map<number, Container>();
    const any = this.index.get<{ id: number }>('SELECT id FROM term WHERE kind = ? AND name = ?', kinds.flag, 'any');
    if (!any) return chunks;
    const [first, last] = keysOfTerm(any.id);
    const rows = this.index.all<{ key: number; ids: Uint8Array }>(
      'SELECT key, ids FROM posting WHERE key BETWEEN ? AND ?',
      first,
      last,
    );
    for (const { key, ids } of rows) chunks.set(chunkOfKey(key), decode(ids));
    return chunks;
  }

  private compareEntries(indexed: ReadonlyMap<number, Container>, sequence: number): void {
    const stored = new Set<number>();
    let after = -1;
    for (;;) {
      const rows = this.documents.all<{ id: number; version: number; sequence: number }>(
        'SELECT id, version, sequence FROM entry WHERE id > ? ORDER BY id LIMIT ?',
        after,
        batchEntries,
      );
      for (const row of rows) {
        stored.add(row.id);
        if (row.sequence <= sequence) this.compareEntry(row, indexed);
      }
      const last = rows.at(-1);
      if (!last) break;
      after = last.id;
    }
    for (const [chunk, container] of indexed) {
      for (const low of lowsOf(container)) {
        const id = idOf(chunk, low);
        if (!stored.has(id)) this.report(`it contains entry ${id}, which is not stored`);
      }
    }
  }

  private compareEntry(
    { id, version }: { readonly id: number; readonly version: number },
    indexed: ReadonlyMap<number, Container>,
  ): void {
    const chunk = chunkOf(id);
    if (!has(indexed.get(chunk) ?? empty, id - idOf(chunk, 0))) {
      this.report(`it lacks entry ${id}`);
      return;
    }
    const row = this.index.get<{ version: number }>('SELECT version FROM indexed_version WHERE entry_id = ?', id);
    const found = row?.version ?? 1;
    if (found !== version) this.report(`it has version ${found} of entry ${id}, whose version is ${version}`);
  }

  private report(what: string): void {
    this.differences += 1;
    if (this.differences <= maxNamed) this.send(what);
  }

  private send(what: string): void {
    this.onFinding({ kind: 'problem', subject: this.file, what, advice, isRepairable: true });
  }
}
