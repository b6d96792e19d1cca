import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryDraft } from '../../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../../test/fixtures/log.js';
import { makeTempDir } from '../../../../test/fixtures/service.js';
import { openDatabase } from '../database/open-database.js';
import { documentsFile } from '../inspect-documents.js';
import { openSqliteStorage } from '../sqlite-storage.js';

test('a long document that grows reuses the pages of its former version', async () => {
  const dataDir = await makeTempDir();
  const parts = { log: silentLog, jobs: silentJobs(), integrity: silentIntegrity(), searchThreads: 0 };
  const { storage } = await openSqliteStorage({ dataDir, ...parts });
  try {
    const run = (blocks: number) => ({ status: 'running', blocks, changedDate: blocks }) as const;
    const draft = entryDraft({ source: 'x'.repeat(200_000), run: run(0) });
    let stored = await storage.write((tx) => tx.entries.insert(draft));
    for (let blocks = 1; blocks <= 4; blocks++) {
      const next = { ...stored.entry, source: `${stored.entry.source} ${blocks}`, run: run(blocks) };
      stored = await storage.write((tx) => tx.entries.annotate(next, stored));
    }
    expect((await storage.committed.entries.find(stored.id))?.json.equals(stored.json)).toBe(true);
    const database = await openDatabase(join(dataDir, documentsFile), 'reader');
    const { free } = database.get<{ free: number }>('SELECT freelist_count AS free FROM pragma_freelist_count') ?? {};
    database.close();
    expect(free).toBeLessThan(10);
  } finally {
    await storage.close();
    await rm(dataDir, { recursive: true });
  }
});
