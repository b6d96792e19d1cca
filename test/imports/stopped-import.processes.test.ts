import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ImportCounts } from '../../src/imports/import-report.js';
import { ZipReader } from '../../src/imports/zip-reader.js';
import { FileImportSource } from '../../src/integrations/logbook-file/file-import-source.js';
import { writeExport } from '../fixtures/export-file.js';
import { ImportTarget } from '../fixtures/import-archive.js';

const entries = 700;
let destination: ImportTarget;
beforeEach(async () => {
  destination = await ImportTarget.open();
});
afterEach(() => destination.close());

async function bring(onProgress: (counts: Readonly<ImportCounts>) => void) {
  const zip = await ZipReader.open(join(destination.dir, 'export.zip'));
  const source = await FileImportSource.open(zip, new AbortController().signal);
  const { report, reconciliation } = await destination.bring(source, onProgress);
  const { differences, entriesHere } = reconciliation;
  return { created: report.counts.created, differences, entriesHere };
}

test('an import that stops after any batch has stored whole batches; the next run brings the rest, and nothing twice', async () => {
  const edited = { owner: 'alice', createdDate: 5, source: 's', modifyDate: 9 };
  await writeExport(join(destination.dir, 'export.zip'), {
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
    const feed = await destination.storage.committed.entryWrites.listAfter(undefined, 2 * entries);
    expect(feed.map(({ id }) => id)).toEqual(Array.from({ length: stored }, (_, at) => at + 1));
  }
  const complete = { created: entries - stored, differences: [], entriesHere: entries };
  expect(await bring(() => undefined)).toEqual(complete);
  expect(await bring(() => undefined)).toEqual({ ...complete, created: 0 });
});
