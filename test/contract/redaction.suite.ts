import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BlobStore } from '../../src/attachments/blob-store.port.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import { GrowingRuns } from '../../src/entries/growing-runs.js';
import { redactEntry } from '../../src/entries/redact-entry.js';
import { systemClock } from '../../src/kernel/clock.js';
import { redigestEntry } from '../../src/ledger/entry-digest.js';
import { collect } from '../fixtures/collect.js';
import { attachment, entryDraft, property } from '../fixtures/entries.js';
import { makeTempDir } from '../fixtures/service.js';
import { principal } from '../fixtures/sessions.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

const secret = 'swordfish';

/** Requirements of every storage for the removal of content from all versions of an entry. */
export function redactionSuite({ open }: StorageEngine): void {
  let opened: OpenStorage;
  let dir: string;
  let blobs: BlobStore;
  beforeEach(async () => {
    opened = await open();
    dir = await makeTempDir();
    blobs = await openFileBlobStore({ dir: join(dir, 'files') });
  });
  afterEach(async () => {
    await opened.destroy();
    await rm(dir, { recursive: true, force: true });
  });
  const write: OpenStorage['storage']['write'] = (work) => opened.storage.write(work);
  const committed = () => opened.storage.committed;
  const by = principal('admin', ['ADMIN']);
  const nothing = { title: false, text: false, properties: false, attachments: [] };
  const redact = (entryId: number, parts: object) =>
    redactEntry(
      { storage: opened.storage, blobs, clock: systemClock, growingRuns: new GrowingRuns() },
      { entryId, parts: { ...nothing, ...parts }, reason: 'why', by },
    );

  /** Stores a file, and an entry that shows it. */
  async function withFile(id: string, content: string, { isRead = true } = {}): Promise<StoredEntry> {
    const blob = await blobs.stage(Readable.from([Buffer.from(content)]), 1_000);
    await blobs.commit(blob);
    const file = attachment({ id, checksum: blob.checksum, size: blob.size, contentType: 'text/plain' });
    const stored = await write(async (tx) => {
      await tx.attachments.insert(file);
      return tx.entries.insert(entryDraft({ attachments: [file] }));
    });
    blobs.release(blob);
    if (isRead) await write((tx) => tx.attachments.storeText(blob.checksum, content));
    return stored;
  }

  test.each(['a new entry', 'entry 0'])(
    'text, title and values are gone from all versions of %s; the rest, and the group, stay',
    async (which) => {
      const fields = { title: secret, source: secret, description: secret };
      const properties = [property('device', { key: secret }), property('Log Entry Group', { id: 'g1' })];
      const draft = entryDraft({ ...fields, properties });
      const { entry } = await write((tx) =>
        which === 'entry 0' ? tx.entries.insertGiven({ ...draft, id: 0 }) : tx.entries.insert(draft),
      );
      await write((tx) => tx.entries.edit({ ...entry, level: 'other' }));
      const { redactions } = await redact(entry.id, { title: true, text: true, properties: true });
      expect(redactions).toMatchObject([
        { number: 1, entryId: entry.id, versions: [1, 2], by: 'admin', reason: 'why' },
      ]);
      const current = await committed().entries.find(entry.id);
      const versions = [current, ...(await collect(committed().entries.listArchived(entry.id)))];
      expect(versions.map((one) => one?.entry.version)).toEqual([3, 2, 1]);
      for (const version of versions) {
        expect(version?.json.toString()).not.toContain(secret);
        expect(version?.entry.title).toMatch(/^Removed by admin on .*: why$/);
        expect(version?.entry.properties[1]).toEqual(properties[1]);
      }
      expect(current?.entry).toMatchObject({ level: 'other', modifiedBy: 'admin', owner: entry.owner });
      expect(await committed().redactions.listRedactions(0, 10)).toEqual(redactions);
      expect(await committed().redactions.listRedactions(1, 10)).toEqual([]);
    },
  );

  test('each version still has the digest that was recorded, and a second redaction changes none of them', async () => {
    const { entry } = await write((tx) => tx.entries.insert(entryDraft({ source: secret, title: secret })));
    await redact(entry.id, { text: true });
    await redact(entry.id, { title: true });
    const records = await committed().ledger.listRecordsAfter(0, 100);
    expect(records.map(({ kind }) => kind)).toEqual(['created', 'edited', 'redacted', 'edited', 'redacted']);
    const archived = await write((tx) => collect(tx.redactions.listVersions(entry.id)));
    expect(archived.map((one) => redigestEntry(one.entry, one.salts, null))).toEqual([
      records[0]?.digest,
      records[1]?.digest,
    ]);
  });

  test('no digest of a request that wrote the entry is left, and its key stays in use', async () => {
    const [first, other] = await write(async (tx) => [
      await tx.entries.insert(entryDraft({ source: secret })),
      await tx.entries.insert(entryDraft()),
    ]);
    const storedAs = ({ id }: StoredEntry) => JSON.stringify({ id, version: 1 });
    const writes = [
      { key: 'created', result: storedAs(first) },
      { key: `run\n${first.id}\n1`, result: '2' },
      { key: 'other', result: storedAs(other) },
      { key: `run\n${first.id}0\n1`, result: '2' },
      { key: `run\n${other.id}\n${first.id}`, result: '2' },
    ];
    await write(async (tx) => {
      for (const { key, result } of writes) await tx.repeats.put(by, key, { fingerprint: 'digest', result }, 1);
      for (let n = 0; n < 5_001; n += 1) await tx.repeats.put(by, `${n}`, { fingerprint: 'digest', result: '1' }, 1);
      await tx.repeats.put(by, 'edited', { fingerprint: 'digest', result: storedAs(first) }, 1);
    });
    await redact(first.id, { text: true });
    const fingerprints = writes.map(async ({ key }) => (await committed().repeats.find(by, key))?.fingerprint);
    expect(await Promise.all(fingerprints)).toEqual(['', '', 'digest', 'digest', 'digest']);
    expect(await committed().repeats.find(by, 'edited')).toEqual({ fingerprint: '', result: storedAs(first) });
    expect((await committed().repeats.find(by, '0'))?.fingerprint).toBe('digest');
  });

  test('a file is replaced by one that says why, and is removed with its text unless it is in use elsewhere', async () => {
    const { entry } = await withFile('a1', secret);
    const checksum = String(entry.attachments[0]?.checksum);
    const other = await withFile('a2', secret);
    expect((await redact(entry.id, { attachments: ['a1'] })).sameContent).toEqual([other.id]);
    const shown = await committed().attachments.find('a1');
    expect(shown).toMatchObject({ id: 'a1', filename: 'removed.txt', contentType: 'text/plain' });
    expect((await committed().entries.find(entry.id))?.entry.attachments).toEqual([shown]);
    expect(await collect(committed().attachments.listShown(entry.id, 'removed.txt'))).toHaveLength(1);
    expect(await committed().redactions.listFilesToRemove()).toEqual([checksum]);
    expect(await committed().attachments.referenced([checksum])).toEqual(new Set([checksum]));
    await redact(other.id, { attachments: ['a2'] });
    expect(await committed().attachments.referenced([checksum])).toEqual(new Set());
    expect((await committed().entryWrites.findSearchable(other.id))?.attachmentTexts.join() ?? '').not.toContain(
      secret,
    );
  });

  test('a text that was extracted while its file was redacted is not stored', async () => {
    const { entry } = await withFile('a1', secret, { isRead: false });
    const checksum = String(entry.attachments[0]?.checksum);
    expect(await committed().attachments.listUnextracted('', 10)).toHaveLength(1);
    await redact(entry.id, { attachments: ['a1'] });
    await write((tx) => tx.attachments.storeText(checksum, secret));
    // The next upload of the same content would be searchable by it.
    const again = await withFile('a2', secret, { isRead: false });
    expect((await committed().entryWrites.findSearchable(again.id))?.attachmentTexts).toEqual(['']);
  });

  test('404 attachment.not-found: an attachment of another entry is not removed', async () => {
    const { id } = await write((tx) => tx.entries.insert(entryDraft()));
    await withFile('a1', 'content');
    await expect(redact(id, { attachments: ['a1'] })).rejects.toMatchObject({ code: 'attachment.not-found' });
    expect((await committed().attachments.find('a1'))?.filename).not.toBe('removed.txt');
  });
}
