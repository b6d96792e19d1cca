import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createSigningKeys, publicHalfOf, readPrivateKey } from '../kernel/signing-keys.js';
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
    ...{ format: 2, product: '1.0.0', name: '20260101T000000Z', storeId: 'the-logbook', engine: 'sqlite' },
    ...{ takenMs: 1, highestEntryId: 2, feedPosition: 3, tables: { store: ['key', 'value'] } },
  },
  pieces: [{ table: 'store', checksum: 'ab'.repeat(32), size: 1, rows: 1, first: ['a'], last: ['a'] }],
  files: [{ checksum: 'cd'.repeat(32), size: 2 }],
  completedMs: 4,
};
const { name } = manifest.header;
const [own, other] = [createSigningKeys(), createSigningKeys()].map(({ privateKey }) => readPrivateKey(privateKey));
if (!own || !other) throw new Error('there are no keys');
const text = [...encodeManifest(manifest, own)].join('');
const read = (content: string, backup = name, keys = [publicHalfOf(own)]) =>
  readManifest(Readable.from([Buffer.from(content)]), backup, keys);

test('a manifest is read as it was written, and known to be signed', async () => {
  expect(await read(text)).toEqual({ ...manifest, authenticity: { kind: 'signed' } });
});

test('a manifest of another key, with a signature of another manifest, or without one is not signed', async () => {
  const kindOf = async (content: string, keys = [publicHalfOf(own)]) =>
    (await read(content, name, keys)).authenticity.kind;
  expect(await kindOf(text, [publicHalfOf(other)])).toBe('unknown-key');
  expect(await kindOf(text, [])).toBe('unknown-key');
  expect(await kindOf(text, [publicHalfOf(other), publicHalfOf(own)])).toBe('signed');
  expect(await kindOf(text.replace(/,"signature":\{[^}]*\}/, ''))).toBe('unsigned');
  expect(await kindOf(text.replace(/"ed25519":"[^"]*"/, '"ed25519":""'))).toBe('forged');
  expect(await kindOf(text.replace('"completedMs":4', '"completedMs":5'))).toBe('forged');
  const signatureOf = (one: Manifest) => /"signature":.*$/m.exec([...encodeManifest(one, own)].join(''))?.[0] ?? '';
  for (const change of [{ name: '20260101T000001Z' }, { storeId: 'another-one' }, { highestEntryId: 3 }]) {
    const changed = signatureOf({ ...manifest, header: { ...manifest.header, ...change } });
    expect(await kindOf(text.replace(/"signature":.*$/m, changed)), JSON.stringify(change)).toBe('forged');
  }
});

test('a manifest under the name of another backup is refused, regardless of its signer', async () => {
  await expect(read(text, '20260101T000001Z')).rejects.toThrow(`the manifest is that of the backup ${name}`);
});

test('a manifest with invalid names of objects, invalid numbers, or a line without an end is refused', async () => {
  const bad = [
    { pieces: [{ ...manifest.pieces[0], checksum: '../../../../etc/passwd' }] },
    { files: [{ checksum: `../${'a'.repeat(61)}`, size: 1 }] },
    { files: [{ checksum: 'cd'.repeat(32), size: -1 }] },
    { header: { ...manifest.header, highestEntryId: 1e300 } },
    { header: { ...manifest.header, storeId: 'a\nb' } },
  ] as unknown as Manifest[];
  for (const change of bad) {
    const content = [...encodeManifest({ ...manifest, ...change }, own)].join('');
    await expect(read(content), JSON.stringify(change)).rejects.toThrow(DamagedManifest);
  }
  const endless = Readable.from(
    (function* () {
      for (let mb = 0; mb < 100; mb += 1) yield Buffer.alloc(1_048_576, 'a');
    })(),
  );
  await expect(readManifest(endless, name, [])).rejects.toThrow(DamagedManifest);
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
  const newer = [...encodeManifest({ ...manifest, header: { ...manifest.header, format: 3 } }, own)].join('');
  await expect(read(newer)).rejects.toThrow('Use the version 1.0.0 or a newer one');
});

test('backups of one second have different names, which sort in the order of the backups', () => {
  const nowMs = Date.parse('2026-12-31T23:59:59.900Z');
  const names: string[] = [];
  while (names.length < 11) names.push(newBackupName(nowMs, names));
  expect(names.slice(0, 2)).toEqual(['20261231T235959Z', '20261231T235959Z-2']);
  expect(names.toReversed().sort(compareBackups)).toEqual(names);
});

test('the name of a backup sorts after all earlier ones, even after one of a clock that was ahead', () => {
  const ahead = '20371106T223059Z';
  const next = newBackupName(Date.parse('2026-12-31T23:59:59Z'), [ahead, '20251231T235959Z']);
  expect(next).toBe(`${ahead}-2`);
  expect(newBackupName(Date.parse('2038-01-01T00:00:00Z'), [ahead, next])).toBe('20380101T000000Z');
});

test('if no name can follow the newest one, the error names its manifest', () => {
  const last = '20371106T223059Z-999999999';
  expect(() => newBackupName(Date.parse('2026-12-31T23:59:59Z'), [last])).toThrow(`${last}.manifest`);
});
