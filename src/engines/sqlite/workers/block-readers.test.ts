import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { entryDraft } from '../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../test/fixtures/service.js';
import type { Connection } from '../database/connection.js';
import { identifyFile } from '../database/database-file-check.js';
import { openDatabase } from '../database/open-database.js';
import { entryBytes } from '../search/index/collected-entries.js';
import type { BlockReader } from '../search/index/entry-block.js';
import { openIndexForWriting } from '../search/index/index-database.js';
import { Indexer } from '../search/index/indexer.js';
import { openSqliteStorage } from '../sqlite-storage.js';
import { newestSequence } from '../tables/entry-writes.js';
import { BlockReaders } from './block-readers.js';

const entries = 3_000;
const editEvery = 7;
/** Enough entries to make the words of the first batch frequent in the next ones. */
const batchEntries = 1_500;

let dataDir: string;
let documents: Connection;
let readers: BlockReaders | undefined;
let indexes = 0;

beforeAll(async () => {
  dataDir = await makeTempDir();
  const opened = { dataDir, log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() };
  const { storage } = await openSqliteStorage({ ...opened, searchThreads: 0 });
  await storage.write(async (tx) => {
    for (let at = 0; at < entries; at++) await tx.entries.insert(draft(at));
    for (let id = 1; id < entries; id += editEvery) {
      const entry = await tx.entries.find(id);
      if (entry) await tx.entries.edit({ ...entry.entry, ...draft(id + entries) });
    }
  });
  await storage.close();
  documents = await openDatabase(join(dataDir, 'logbook.sqlite'), 'reader');
});
afterEach(() => {
  readers?.end();
  readers = undefined;
});
afterAll(async () => {
  documents.close();
  await rm(dataDir, { recursive: true });
});

/** Returns an entry with adjacent frequent words, rare words and a device name; some also have events or are long. */
function draft(at: number) {
  const words = Array.from({ length: at % 500 === 3 ? 3_000 : 12 }, (_, word) => `w${(at * 31 + word * word) % 4_001}`);
  return entryDraft({
    title: `Magnet ${at % 97} tripped`,
    description: `the beam was lost at SR:C${at % 40}-MG:G02A ${words.join(' ')}`,
    events: at % 5 === 0 ? [{ name: 'trip', instant: 1_600_000_000_000 + at * 60_000 }] : [],
  });
}

async function contentOfIndex(reader: BlockReader | undefined): Promise<object> {
  const index = await openIndexForWriting(join(dataDir, `index-${indexes++}.sqlite`));
  try {
    const indexer = new Indexer(index, documents);
    const batches: number[] = [];
    for (let more = true; more; ) {
      const progress = indexer.indexNext(batchEntries * entryBytes, () => undefined, reader);
      batches.push(progress.sequence);
      more = progress.more;
    }
    const tables = ['term', 'posting', 'event', 'indexed_version', 'chunk', 'frequent_word'];
    const rows = tables.map((table) => [table, index.all(`SELECT * FROM ${table} ORDER BY 1, 2`)]);
    return { batches, ...Object.fromEntries(rows) };
  } finally {
    index.close();
  }
}

function startReaders(file: string): BlockReaders {
  const stopping = new Int32Array(new SharedArrayBuffer(4));
  const opened = { ...identifyFile(join(dataDir, 'logbook.sqlite')), path: file };
  readers = new BlockReaders(2, { documents: opened, stopping, warmUpIndexFile: undefined, blockReaders: 2 });
  return readers;
}

/** Returns the same reader, which counts the blocks that its threads have read. */
function counting(reader: BlockReader): BlockReader & { blocks: number } {
  return {
    blocks: 0,
    ahead: reader.ahead,
    request(range) {
      const wait = reader.request(range);
      return () => {
        const block = wait();
        if (block) this.blocks += 1;
        return block;
      };
    },
    discard: () => reader.discard(),
  };
}

describe('threads that read blocks', () => {
  test('the index is the same as without them', async () => {
    const alone = await contentOfIndex(undefined);
    const reader = counting(startReaders(join(dataDir, 'logbook.sqlite')));
    expect(await contentOfIndex(reader)).toEqual(alone);
    expect(reader.blocks).toBeGreaterThan(1);
    expect(alone).toMatchObject({ batches: expect.arrayContaining([newestSequence(documents)]) });
  });

  test('the index is complete when they cannot read the documents', async () => {
    const alone = await contentOfIndex(undefined);
    expect(await contentOfIndex(startReaders(join(dataDir, 'missing.sqlite')))).toEqual(alone);
  });

  test('a block that was discarded is not taken for a later one', () => {
    const newest = newestSequence(documents);
    const started = startReaders(join(dataDir, 'logbook.sqlite'));
    const request = (after: number, last: number) =>
      started.request({ after, last, newestId: 0, frequentWords: new Map() });
    // After these requests, it is the turn of the first thread.
    for (let at = 0; at < 5; at++) request(0, 100);
    started.discard();
    const [one, other] = [request(newest - 20, newest - 10), request(newest - 10, newest)];
    const sequences = [one, other].map((wait) => wait()?.entries.map(({ sequence }) => sequence));
    expect(sequences.flat()).toEqual(Array.from({ length: 20 }, (_, at) => newest - 19 + at));
  });
});
