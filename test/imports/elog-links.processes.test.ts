import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ImportCounts } from '../../src/imports/import-report.js';
import { ElogImportSource } from '../../src/integrations/elog/elog-import-source.js';
import { readMapping } from '../../src/integrations/elog/elog-mapping.js';
import { ImportTarget } from '../fixtures/import-archive.js';

const entries = 250;
let destination: ImportTarget;
beforeEach(async () => {
  destination = await ImportTarget.open();
});
afterEach(() => destination.close());

async function bring(onProgress: (counts: Readonly<ImportCounts>) => void) {
  const source = await ElogImportSource.open(join(destination.dir, 'elog'), readMapping(undefined));
  const { report, reconciliation } = await destination.bring(source, onProgress);
  return { counts: report.counts, isEqual: reconciliation.isEqual, losses: reconciliation.losses };
}

test('entries link to those that are stored later, also when the import stops between; nothing is written twice', async () => {
  await mkdir(join(destination.dir, 'elog', 'Ops'), { recursive: true });
  const head = (id: number) =>
    `$@MID@$: ${id}\nDate: Wed, 02 Jan 2019 09:${String(id % 60).padStart(2, '0')}:00 +0${Math.floor(id / 60)}00\nSubject: s\nEncoding: ELCode`;
  const texts = Array.from({ length: entries }, (_, at) => `before elog:${entries - at} after`);
  const log = texts.map((text, at) => `${head(at + 1)}\n${'='.repeat(40)}\n${text}\n`).join('');
  await writeFile(join(destination.dir, 'elog', 'Ops', '190102a.log'), log);
  const stopped = bring(({ created }) => {
    if (created > 0) throw new Error('stopped');
  });
  await expect(stopped).rejects.toThrow('stopped');
  const { counts, isEqual } = await bring(() => undefined);
  expect([isEqual, counts.created > 0, counts.created < entries]).toEqual([true, true, true]);
  const again = await bring(() => undefined);
  expect([again.isEqual, again.counts.unchanged]).toEqual([true, entries]);
  const ids = new Map<string, number>();
  const { committed } = destination.storage;
  for (const { key, target } of await committed.imports.listAfter(
    `elog ${join(destination.dir, 'elog')}`,
    'entry',
    '',
    1_000,
  )) {
    ids.set(key, Number(target));
  }
  expect(ids.size).toBe(entries);
  for (const [key, id] of ids) {
    const stored = await committed.entries.find(id);
    const named = entries + 1 - Number(key.split('/')[1]);
    expect(stored?.entry.source).toBe(`before [elog:${named}](#${ids.get(`Ops/${named}`)}) after`);
    // Every version has a record in the ledger, which must be stored unchanged.
    expect([stored?.revision, stored?.entry.modifyDate]).toEqual([1, null]);
  }
});
