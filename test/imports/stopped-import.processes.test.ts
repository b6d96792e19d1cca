import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import type { ImportCounts } from '../../src/imports/import-report.js';
import { reconcile } from '../../src/imports/reconcile.js';
import { runImport } from '../../src/imports/run-import.js';
import { ZipReader } from '../../src/imports/zip-reader.js';
import { FileImportSource } from '../../src/integrations/logbook-file/file-import-source.js';
import { systemClock } from '../../src/kernel/clock.js';
import type { OpenStorage } from '../contract/storage.suite.js';
import { writeExport } from '../fixtures/export-file.js';
import { makeTempDir } from '../fixtures/service.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const entries = 700;
let dir: string;
let opened: OpenStorage;
beforeEach(async () => {
  dir = await makeTempDir();
  opened = await sqliteEngine.open();
});
afterEach(async () => {
  await opened.destroy();
  await rm(dir, { recursive: true });
});

async function bring(onProgress: (counts: Readonly<ImportCounts>) => void) {
  const source = await FileImportSource.open(
    await ZipReader.open(join(dir, 'export.zip')),
    new AbortController().signal,
  );
  const { signal } = new AbortController();
  try {
    const events = { onDamage: () => undefined, onIntact: () => undefined };
    const blobs = await openFileBlobStore({ dir: join(dir, 'files'), ...events });
    const deps = { storage: opened.storage, source, blobs, clock: systemClock, maxFileBytes: 1_000_000, onProgress };
    const { counts } = await runImport(deps, signal);
    const { differences, entriesHere } = await reconcile(
      { ...deps, onProgress: () => undefined, sampleSize: 50 },
      signal,
    );
    return { created: counts.created, differences, entriesHere };
  } finally {
    await source.close();
  }
}

test('an import that stops after any batch has stored whole batches; the next run brings the rest, and nothing twice', async () => {
  const edited = { owner: 'alice', createdDate: 5, source: 's', modifyDate: 9 };
  await writeExport(join(dir, 'export.zip'), {
    entries: Array.from({ length: entries }, (_, at) => ({
      entry: { id: at + 1, title: `now ${at}`, ...edited },
      archived: [{ id: at + 1, title: `before ${at}`, ...edited, modifyDate: null }],
    })),
  });
  let stored = 0;
  for (const batch of ['first', 'second']) {
    const stop = new Error(`stopped after the ${batch} batch`);
    const before = stored;
    const run = bring(({ created }) => {
      if (created === 0) return;
      stored += created;
      throw stop;
    });
    await expect(run).rejects.toBe(stop);
    expect(stored - before).toBe(250);
    const feed = await opened.storage.committed.entryWrites.listAfter(undefined, 2 * entries);
    expect(feed.map(({ id }) => id)).toEqual(Array.from({ length: stored }, (_, at) => at + 1));
  }
  const complete = { created: entries - stored, differences: [], entriesHere: entries };
  expect(await bring(() => undefined)).toEqual(complete);
  expect(await bring(() => undefined)).toEqual({ ...complete, created: 0 });
});
