import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import type { ImportCounts } from '../../src/imports/import-report.js';
import { reconcile } from '../../src/imports/reconcile.js';
import { runImport } from '../../src/imports/run-import.js';
import { ElogImportSource } from '../../src/integrations/elog/elog-import-source.js';
import { readMapping } from '../../src/integrations/elog/elog-mapping.js';
import { systemClock } from '../../src/kernel/clock.js';
import type { OpenStorage } from '../contract/storage.suite.js';
import { makeTempDir } from '../fixtures/service.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const entries = 250;
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
  const source = await ElogImportSource.open(join(dir, 'elog'), readMapping(undefined));
  const { signal } = new AbortController();
  try {
    const events = { onDamage: () => undefined, onIntact: () => undefined };
    const blobs = await openFileBlobStore({ dir: join(dir, 'files'), ...events });
    const deps = { storage: opened.storage, source, blobs, clock: systemClock, maxFileBytes: 1_000_000, onProgress };
    const { counts } = await runImport(deps, signal);
    const { isEqual, losses } = await reconcile({ ...deps, onProgress: () => undefined, sampleSize: 50 }, signal);
    return { counts, isEqual, losses };
  } finally {
    await source.close();
  }
}

test('links to entries that are stored later are added, also when the import stops before; they are no edits', async () => {
  await mkdir(join(dir, 'elog', 'Ops'), { recursive: true });
  const head = (id: number) =>
    `$@MID@$: ${id}\nDate: Wed, 02 Jan 2019 09:${String(id % 60).padStart(2, '0')}:00 +0${Math.floor(id / 60)}00\nSubject: s\nEncoding: ELCode`;
  const texts = Array.from({ length: entries }, (_, at) => `before elog:${entries - at} after`);
  const log = texts.map((text, at) => `${head(at + 1)}\n${'='.repeat(40)}\n${text}\n`).join('');
  await writeFile(join(dir, 'elog', 'Ops', '190102a.log'), log);
  // The first run stops after a batch, the second one while it adds links.
  for (const stopAt of [1, 3]) {
    let seen = 0;
    const stopped = bring(({ created }) => {
      if (created > 0 && ++seen === stopAt) throw new Error('stopped');
    });
    await expect(stopped).rejects.toThrow('stopped');
  }
  const { counts, isEqual } = await bring(() => undefined);
  expect(isEqual).toBe(true);
  expect(counts.created).toBe(0);
  const ids = new Map<string, number>();
  const { committed } = opened.storage;
  for (const { key, target } of await committed.imports.listAfter(`elog ${join(dir, 'elog')}`, 'entry', '', 1_000)) {
    ids.set(key, Number(target));
  }
  expect(ids.size).toBe(entries);
  for (const [key, id] of ids) {
    const stored = await committed.entries.find(id);
    const named = entries + 1 - Number(key.split('/')[1]);
    expect(stored?.entry.source).toBe(`before [elog:${named}](#${ids.get(`Ops/${named}`)}) after`);
    expect(stored?.entry.modifyDate).toBeNull();
    for await (const _version of committed.entries.listArchived(id)) expect.fail(`entry ${id} was edited`);
  }
});
