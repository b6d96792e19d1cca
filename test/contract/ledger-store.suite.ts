import { expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { entryCoverage } from '../../src/entries/entry-coverage.js';
import { digestFormer, redigestEntry } from '../../src/ledger/entry-digest.js';
import { isCoveredWholly } from '../../src/ledger/entry-fields.js';
import { extendLedger } from '../../src/ledger/extend-ledger.js';
import { hashRecord, noHash, type StoredRecord } from '../../src/ledger/ledger-record.js';
import { collect } from '../fixtures/collect.js';
import { attachment, entryDraft, property, tag } from '../fixtures/entries.js';
import { openForEachTest } from './open-for-each-test.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

/** Requirements of every storage for the ledger: a record of each change, in the transaction that stores it. */
export function ledgerStoreSuite({ open }: StorageEngine): void {
  const { opened, reopen } = openForEachTest(open);
  const ledger = () => opened().storage.committed.ledger;
  const write: OpenStorage['storage']['write'] = (work) => opened().storage.write(work);
  const records = () => ledger().listRecordsAfter(0, 1_000);
  const named = (found: readonly StoredRecord[]) =>
    found.map(({ kind, entryId, version, subject }) => [kind, entryId || subject, version]);

  test('each version of an entry, and each change of the catalogue, has a record in the order of the changes', async () => {
    const { id } = await write((tx) => tx.entries.insert(entryDraft({ title: 'one' })));
    const { entry } = await write((tx) => tx.entries.edit({ ...entryDraft({ title: 'two' }), id, version: 0 }));
    await write((tx) => tx.entries.annotate(entry));
    await write((tx) => tx.catalog.put('tags', tag('Vacuum')));
    await write((tx) => tx.catalog.remove('tags', 'Vacuum'));
    expect(await write((tx) => tx.catalog.remove('tags', 'Vacuum'))).toBe(false);
    expect(named(await records())).toEqual([
      ['created', id, 1],
      ['edited', id, 2],
      ['annotated', id, 3],
      ['catalog', 'tags/Vacuum', 0],
      ['catalog-removed', 'tags/Vacuum', 0],
    ]);
    const [, second] = await records();
    expect(await ledger().listRecordsAfter(second?.sequence ?? 0, 1)).toEqual([(await records())[2]]);
  });

  test('a write that fails leaves no record', async () => {
    await expect(
      write(async (tx) => {
        await tx.entries.insert(entryDraft());
        await tx.catalog.put('tags', tag('Vacuum'));
        throw new Error('refused');
      }),
    ).rejects.toThrow('refused');
    expect(await records()).toEqual([]);
  });

  test('two entries with the same content have different digests: what was removed cannot be found by trial', async () => {
    await write((tx) => tx.entries.insert(entryDraft()));
    await write((tx) => tx.entries.insert(entryDraft()));
    const [one, other] = await records();
    expect(one?.digest).not.toBe(other?.digest);
  });

  test('records enter the tiles in order, each with the hash of the one before; nothing is entered twice', async () => {
    const extend = () => write((tx) => extendLedger(tx.ledger));
    expect(await extend()).toBe(0);
    await write((tx) => tx.entries.insert(entryDraft()));
    expect(await extend()).toBe(1);
    await write(async (tx) => {
      for (let index = 0; index < 300; index += 1) await tx.catalog.put('tags', tag(`tag ${index}`));
    });
    await reopen();
    expect([await extend(), await extend(), await extend()]).toEqual([255, 45, 0]);
    const hashes: string[] = [];
    for (const record of await records()) hashes.push(hashRecord(record, hashes.length, hashes.at(-1) ?? noHash));
    expect((await ledger().findTile(0, 0))?.hashes).toEqual(hashes.slice(0, 256));
    expect(await ledger().findNewestTile()).toMatchObject({ position: 1, hashes: hashes.slice(256) });
    expect((await ledger().findTile(1, 0))?.hashes).toHaveLength(1);
    expect(await ledger().findTile(1, 1)).toBeUndefined();
  });

  test('several nodes that extend the ledger at the same time enter each record once', async () => {
    for (let index = 0; index < 20; index += 1) await write((tx) => tx.entries.insert(entryDraft()));
    const entered = await Promise.all([1, 2, 3].map(() => write((tx) => extendLedger(tx.ledger))));
    expect(entered.sort()).toEqual([0, 0, 20]);
    expect((await ledger().findNewestTile())?.hashes).toHaveLength(20);
  });

  test('nothing is left to record for what this version has stored', async () => {
    await write(async (tx) => {
      await tx.attachments.insert(attachment());
      const { entry } = await tx.entries.insert(entryDraft({ attachments: [attachment()] }));
      await tx.entries.edit(entry);
      await tx.catalog.put('tags', tag('Vacuum'));
    });
    expect(await write((tx) => tx.ledger.recordEarlier(10))).toBe(0);
  });

  test('once everything that an earlier version stored is recorded, one record says so', async () => {
    for (let run = 0; run < 2; run += 1) expect(await write((tx) => tx.ledger.recordEarlier(10))).toBe(0);
    expect(named(await records())).toEqual([['complete', 'ledger/complete', 0]]);
  });

  test('a checkpoint is stored under the next number, once', async () => {
    await write((tx) => tx.ledger.appendCheckpoint(1, '{}'));
    await expect(write((tx) => tx.ledger.appendCheckpoint(1, '{}'))).rejects.toThrow();
    await write((tx) => tx.ledger.appendCheckpoint(2, '{}'));
  });

  test('the digest of a reply covers its reply link, also when it joins a group and when it is edited', async () => {
    const parent = await write((tx) => tx.entries.insert(entryDraft()));
    const { entry } = await write((tx) => tx.entries.insert(entryDraft(), { inReplyTo: parent.id }));
    await write((tx) => tx.entries.annotate(entry));
    await write((tx) => tx.entries.edit(entry));
    await write((tx) => tx.entries.edit(entry));
    const [, created, annotated, edited] = (await records()).map(({ digest }) => digest);
    const [first, second] = await write((tx) => collect(tx.redactions.listVersions(entry.id)));
    const digests = (link: number | null) => [
      first && digestFormer(first.entry, first.salts, link),
      ...[first, second].map((one) => one && redigestEntry(one.entry, one.salts, link)),
    ];
    expect(digests(parent.id)).toEqual([created, annotated, edited]);
    for (const link of [null, parent.id + 1]) {
      expect(digests(link).filter((digest) => [created, annotated, edited].includes(digest))).toEqual([]);
    }
  });

  test('the digest covers every field of an entry, and of the objects in it', () => {
    const entry: Entry = {
      ...entryDraft({
        ownerName: 'name',
        events: [{ name: 'event', instant: 0 }],
        logbooks: [{ name: 'logbook', owner: 'owner', state: 'Active' }],
        tags: [{ name: 'tag', state: 'Active' }],
        properties: [
          { name: 'property', owner: '', state: 'Active', attributes: [{ name: 'a', value: 'v', state: 'Active' }] },
        ],
        attachments: [{ ...attachment(), width: 1, height: 1 }],
      }),
      id: 1,
      version: 1,
    };
    const salts = Array.from({ length: 5 }, () => 'x'.repeat(22)).join('.');
    const attributeWith = (change: object) => ({
      properties: [{ ...entry.properties[0], attributes: [{ ...entry.properties[0]?.attributes[0], ...change }] }],
    });
    const parts: Record<keyof typeof entryCoverage, (change: object) => object> = {
      entry: (change) => change,
      event: (change) => ({ events: [{ ...entry.events[0], ...change }] }),
      logbook: (change) => ({ logbooks: [{ ...entry.logbooks[0], ...change }] }),
      tag: (change) => ({ tags: [{ ...entry.tags[0], ...change }] }),
      property: (change) => ({ properties: [{ ...entry.properties[0], ...change }] }),
      attribute: attributeWith,
      sample: (change) => attributeWith({ sample: { numbers: ['1'], severity: 'NONE', instant: 1, ...change } }),
      attachment: (change) => ({ attachments: [{ ...entry.attachments[0], ...change }] }),
    };
    const digests = new Set([redigestEntry(entry, salts, null), redigestEntry(entry, salts, 7)]);
    let changes = digests.size;
    for (const [part, keys] of Object.entries(entryCoverage)) {
      for (const [key, field] of Object.entries(keys)) {
        // The record has the version; without the attachment, the salts do not fit. The next test is about what is derived.
        if (field === 'record' || field === 'derived' || key === 'attachments') continue;
        const isList = key === 'attributes' || (part === 'entry' && Array.isArray(entry[key as keyof Entry]));
        const change = parts[part as keyof typeof parts]({ [key]: isList ? [] : 'other' });
        digests.add(redigestEntry({ ...entry, ...change }, salts, null));
        changes += 1;
      }
    }
    expect(digests.size).toBe(changes);
    expect(digests).not.toContain(undefined);
    expect(redigestEntry({ ...entry, attachments: [] }, salts, null)).toBeUndefined();
  });

  test('a device is covered if its name occurs in what the digest covers, and no other is', () => {
    const properties = [property('resource', { name: 'SR:V2' })];
    const isCovered = (...devices: string[]) => {
      const entry = { ...entryDraft({ title: 'SR:V1', properties, devices }), id: 1, version: 1 };
      return isCoveredWholly(JSON.stringify(entry), entry);
    };
    expect(isCovered('SR:V1', 'SR:V2')).toBe(true);
    expect(isCovered('SR:V1', 'SR:V3')).toBe(false);
  });
}
