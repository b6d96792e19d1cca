import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import {
  compareBackups,
  DamagedManifest,
  encodeManifest,
  type Manifest,
  newBackupName,
  readManifest,
} from './manifest.js';

const manifest: Manifest = {
  header: {
    ...{ format: 1, product: '1.0.0', name: '20260101T000000Z', storeId: 'the-logbook', engine: 'sqlite' },
    ...{ takenMs: 1, highestEntryId: 2, feedPosition: 3, tables: { store: ['key', 'value'] } },
  },
  pieces: [{ table: 'store', checksum: 'ab', size: 1, rows: 1, first: ['a'], last: ['a'] }],
  files: [{ checksum: 'cd', size: 2 }],
  completedMs: 4,
};
const text = [...encodeManifest(manifest)].join('');
const read = (content: string) => readManifest(Readable.from([Buffer.from(content)]));

test('a manifest is read as it was written', async () => {
  expect(await read(text)).toEqual(manifest);
});

test('a manifest that was cut off at any place, or altered in any place, is refused', async () => {
  for (let at = 0; at < text.length - 1; at += 1)
    await expect(read(text.slice(0, at))).rejects.toThrow(DamagedManifest);
  const hashed = text.slice(0, text.indexOf('{"end"'));
  for (let at = 0; at < hashed.length; at += 1) {
    const altered = `${text.slice(0, at)}${String.fromCharCode(text.charCodeAt(at) ^ 2)}${text.slice(at + 1)}`;
    await expect(read(altered), altered).rejects.toThrow();
  }
});

test('a backup of a newer format is refused with the version that can read it', async () => {
  const newer = [...encodeManifest({ ...manifest, header: { ...manifest.header, format: 2 } })].join('');
  await expect(read(newer)).rejects.toThrow('Use the version 1.0.0 or a newer one');
});

test('backups of one second have different names, in their order', () => {
  const nowMs = Date.parse('2026-12-31T23:59:59.900Z');
  const names: string[] = [];
  while (names.length < 11) names.push(newBackupName(nowMs, names));
  expect(names.slice(0, 2)).toEqual(['20261231T235959Z', '20261231T235959Z-2']);
  expect(names.toReversed().sort(compareBackups)).toEqual(names);
});

test('a backup is named after all that were made before it, also by a clock that was ahead', () => {
  const ahead = '20371106T223059Z';
  const next = newBackupName(Date.parse('2026-12-31T23:59:59Z'), [ahead, '20251231T235959Z']);
  expect(next).toBe(`${ahead}-2`);
  expect(newBackupName(Date.parse('2038-01-01T00:00:00Z'), [ahead, next])).toBe('20380101T000000Z');
});
