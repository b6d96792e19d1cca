import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryDraft } from '../../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../../test/fixtures/service.js';
import { fields, kinds } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { openDatabase } from '../../database/open-database.js';
import { openSqliteStorage } from '../../sqlite-storage.js';
import { openIndexForWriting, postingKey } from './index-database.js';
import { Indexer } from './indexer.js';

/** Number of entries: more than are read in one snapshot. */
const entries = 1_100;

/** Stores entries with these descriptions, and calls `work` with an empty index and its indexer. */
async function withEntries(
  descriptions: readonly string[],
  work: (opened: { writer: Connection; index: Connection; indexer: Indexer }) => void,
): Promise<void> {
  const dataDir = await makeTempDir();
  await storeEntries(dataDir, descriptions);
  const writer = await openDatabase(join(dataDir, 'logbook.sqlite'), 'writer');
  const reader = await openDatabase(join(dataDir, 'logbook.sqlite'), 'reader');
  const index = await openIndexForWriting(join(dataDir, 'another.sqlite'));
  try {
    work({ writer, index, indexer: new Indexer(index, reader) });
  } finally {
    for (const connection of [index, reader, writer]) connection.close();
    await rm(dataDir, { recursive: true });
  }
}

const manyEntries = Array.from({ length: entries }, () => 'before');

async function storeEntries(dataDir: string, descriptions: readonly string[]): Promise<void> {
  const { storage } = await openSqliteStorage({
    dataDir,
    log: silentLog,
    jobs: silentJobs(),
    integrity: silentIntegrity(),
    searchThreads: 0,
  });
  await storage.write(async (tx) => {
    for (const description of descriptions) await tx.entries.insert(entryDraft({ description }));
  });
  await storage.close();
}

function editEntry(documents: Connection, id: number): void {
  documents.exec('BEGIN IMMEDIATE');
  documents.run(
    'INSERT INTO archived_entry (entry_id, version, document, crc) SELECT id, version, document, crc FROM entry WHERE id = ?',
    id,
  );
  documents.run(
    `UPDATE entry SET version = version + 1, sequence = (SELECT max(sequence) + 1 FROM entry),
       document = json_set(document, '$.description', 'after'), crc = NULL WHERE id = ?`,
    id,
  );
  documents.exec('COMMIT');
}

function entriesWith(index: Connection, word: string): number | undefined {
  const term = index.get<{ id: number }>('SELECT id FROM term WHERE kind = ? AND name = ?', kinds.word, word);
  const key = postingKey(term?.id ?? 0, fields.description, 0);
  return index.get<{ entries: number }>('SELECT entries FROM posting WHERE key = ?', key)?.entries;
}

test('an entry that is edited while its batch is collected is found only by its new words', () =>
  withEntries(manyEntries, ({ writer, index, indexer }) => {
    let calls = 0;
    const editMeanwhile = () => {
      calls += 1;
      if (calls === 100) editEntry(writer, 1);
    };
    const batches: boolean[] = [];
    do {
      batches.push(indexer.indexNext(2 ** 40, editMeanwhile).more);
    } while (batches.at(-1));
    expect([entriesWith(index, 'before'), entriesWith(index, 'after')]).toEqual([entries - 1, 1]);
    expect(batches).toEqual([true, false]);
  }));

test('a long entry is found by a word that other entries of its batch contain, even after many new words', () => {
  const newWords = Array.from({ length: 12_000 }, (_, at) => `w${at}x`).join(' ');
  return withEntries(['the quench', 'another quench', `${newWords} quench`], ({ index, indexer }) => {
    const { limited } = indexer.indexNext(2 ** 40, () => undefined);
    expect(limited).toEqual([{ entryId: 3, omitted: expect.any(Number) }]);
    expect(entriesWith(index, 'quench')).toBe(3);
  });
});

test('a batch ends with the writes that existed when it began, so that constant writing cannot prolong it', () =>
  withEntries(manyEntries, ({ writer, indexer }) => {
    let edited = 0;
    // One write for each entry that is indexed, beginning with the last ones.
    const writeMeanwhile = () => {
      if (edited < entries - 100) editEntry(writer, entries - edited++);
    };
    const first = indexer.indexNext(2 ** 40, writeMeanwhile);
    expect(first.sequence).toBeLessThanOrEqual(entries);
    expect(first.more).toBe(true);
  }));
