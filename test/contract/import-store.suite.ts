import { expect, test } from 'vitest';
import { isIntact } from '../../src/entries/change-feed.port.js';
import { attachment, entryDraft } from '../fixtures/entries.js';
import { openForEachTest } from './open-for-each-test.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

/** Requirements of every storage for imports: entries under given ids, and the record of imported items. */
export function importStoreSuite({ open }: StorageEngine): void {
  const { opened, reopen } = openForEachTest(open);
  const committed = () => opened().storage.committed;
  const write: OpenStorage['storage']['write'] = (work) => opened().storage.write(work);
  const given = (id: number, fields = {}) => ({ ...entryDraft(fields), id });
  const item = (key: string, version = 1) => ({ key, target: key, version, digest: `digest of ${key}` });

  test('an entry is stored under the id that it brings, and later ids are above it, also after a restart', async () => {
    const stored = await write((tx) => tx.entries.insertGiven(given(70, { title: 'kept', owner: 'alice' })));
    expect(stored).toMatchObject({ id: 70, revision: 1, entry: { id: 70, title: 'kept', owner: 'alice', version: 1 } });
    expect(await committed().entries.find(70)).toEqual(stored);
    const next = await write((tx) => tx.entries.insert(entryDraft()));
    expect(next.id).toBeGreaterThan(70);
    await write((tx) => tx.entries.insertGiven(given(12_345)));
    await reopen();
    expect((await write((tx) => tx.entries.insert(entryDraft()))).id).toBeGreaterThan(12_345);
  });

  test('ids below those that were given are taken too, in any order', async () => {
    await write((tx) => tx.entries.insertGiven(given(900)));
    for (const id of [5, 899, 6]) await write((tx) => tx.entries.insertGiven(given(id, { createdDate: id })));
    for (const id of [5, 6, 899, 900]) expect((await committed().entries.find(id))?.entry.id).toBe(id);
    expect((await write((tx) => tx.entries.insert(entryDraft()))).id).toBeGreaterThan(900);
  });

  test('entry 0 is read, edited, annotated, archived, replied to and announced as any other', async () => {
    const first = await write(async (tx) => {
      const { id, revision } = await tx.entries.insertGiven(given(0, { title: 'zero', attachments: [attachment()] }));
      await tx.feed.append({ kind: 'created', entryId: id, revision, notify: true, atMs: 1 });
      return committed().entries.find(id);
    });
    expect(first).toBeUndefined();
    const reply = await write((tx) => tx.entries.insert(entryDraft({ title: 'reply' }), { inReplyTo: 0 }));
    expect([reply.id > 0, await committed().entries.findParent(reply.id)]).toEqual([true, 0]);
    await write((tx) => tx.entries.insertGiven(given(reply.id + 5), { inReplyTo: 0 }));
    const created = await committed().entries.find(0);
    if (!created) throw new Error('entry 0 is not stored');
    await write((tx) => tx.entries.annotate({ ...created.entry, level: 'grouped' }));
    const edited = await write((tx) => tx.entries.edit({ ...created.entry, level: 'grouped', title: 'edited' }));
    await reopen();
    const { entries, entryWrites, feed } = committed();
    expect(await entries.find(0)).toEqual(edited);
    expect(await entries.findSize(0)).toBeGreaterThan(0);
    expect(await entries.findVersion(0, 1)).toMatchObject({ entry: { title: 'zero', level: 'grouped' } });
    const archived: string[] = [];
    for await (const { entry } of entries.listArchived(0)) archived.push(entry.title);
    expect(archived).toEqual(['zero']);
    expect((await entryWrites.listAfter(undefined, 10)).some(({ id }) => id === 0)).toBe(true);
    expect((await feed.listAfter(0, 10)).filter(isIntact).map(({ entryId }) => entryId)).toEqual([0]);
    const records = await committed().ledger.listRecordsAfter(0, 100);
    const ofZero = records.flatMap(({ entryId, kind }) => (entryId === 0 ? kind : []));
    expect(ofZero).toEqual(['created', 'annotated', 'edited']);
  });

  test('one transaction may store given and new ids', async () => {
    const ids = await write(async (tx) => {
      const first = await tx.entries.insert(entryDraft());
      await tx.entries.insertGiven(given(first.id + 40));
      return [first.id, (await tx.entries.insert(entryDraft())).id] as const;
    });
    expect(ids[1]).toBeGreaterThan(ids[0] + 40);
  });

  test('a reserved id belongs to no other entry, also after a restart, and may be given later', async () => {
    const { id } = await write((tx) => tx.entries.insert(entryDraft()));
    const reserved = await write((tx) => tx.entries.reserveId());
    expect(reserved).toBeGreaterThan(id);
    await reopen();
    const next = await write((tx) => tx.entries.insert(entryDraft()));
    expect(next.id).toBeGreaterThan(reserved);
    const inOne = await write(async (tx) => [await tx.entries.reserveId(), await tx.entries.reserveId()]);
    expect(new Set([id, reserved, next.id, ...inOne]).size).toBe(5);
    for (const one of [reserved, ...inOne]) {
      expect(await write((tx) => tx.entries.insertGiven(given(one)))).toMatchObject({ id: one, revision: 1 });
    }
  });

  test('409 entry.id-taken: the stored entry stays as it is', async () => {
    const before = await write((tx) => tx.entries.insertGiven(given(7, { title: 'first' })));
    await expect(write((tx) => tx.entries.insertGiven(given(7, { title: 'second' })))).rejects.toMatchObject({
      kind: 'conflict',
      code: 'entry.id-taken',
    });
    expect(await committed().entries.find(7)).toEqual(before);
  });

  test('of many given ids in one transaction, only those that are taken are refused: given twice, or to a new entry', async () => {
    const { id: own } = await write((tx) => tx.entries.insert(entryDraft({ title: 'own' })));
    const ids = Array.from({ length: 150 }, (_, n) => own + n);
    const refused = await write(async (tx) => {
      const taken: number[] = [];
      for (const id of [...ids, own + 70, ...ids.slice(-2)]) {
        const title = `given ${id}`;
        await tx.entries.insertGiven(given(id, { title })).catch(({ code }: { code: string }) => {
          expect(code).toBe('entry.id-taken');
          taken.push(id);
        });
      }
      expect((await tx.entries.find(own + 149))?.entry.title).toBe(`given ${own + 149}`);
      return taken;
    });
    expect(refused).toEqual([own, own + 70, own + 148, own + 149]);
    for (const id of ids.slice(1)) expect((await committed().entries.find(id))?.entry.title).toBe(`given ${id}`);
    expect((await committed().entries.find(own))?.entry.title).toBe('own');
    expect((await write((tx) => tx.entries.insert(entryDraft()))).id).toBeGreaterThan(own + 149);
  });

  test('an entry with a given id is in the sequence of writes, and its files are found', async () => {
    const position = await committed().entryWrites.newestPosition();
    await write(async (tx) => {
      await tx.attachments.insert(attachment());
      await tx.entries.insertGiven(given(33, { attachments: [attachment()] }));
    });
    const find = async () => (await committed().entryWrites.listCommittedAfter(position, 10)).map(({ id }) => id);
    await expect.poll(find).toEqual([33]);
    expect(await committed().attachments.listEntriesOfFile(attachment().checksum, 5)).toEqual([33]);
  });

  test('the entry that another one replies to is known', async () => {
    await write((tx) => tx.entries.insertGiven(given(5)));
    await write((tx) => tx.entries.insertGiven(given(6), { inReplyTo: 5 }));
    expect(await committed().entries.findParent(6)).toBe(5);
    expect(await committed().entries.findParent(5)).toBeUndefined();
    expect(await committed().entries.findParent(7)).toBeUndefined();
  });

  test('items are recorded for each source and kind, replaced by key, and listed in the order of keys', async () => {
    await write(async (tx) => {
      await tx.imports.putItems('one', 'entry', [item('b'), item('a'), item('c')]);
      await tx.imports.putItems('one', 'tags', [item('a', 0)]);
      await tx.imports.putItems('two', 'entry', [item('a', 9)]);
    });
    const changed = { key: 'b', target: '5', version: 4, digest: 'other' };
    await write((tx) => tx.imports.putItems('one', 'entry', [changed]));
    const { imports } = committed();
    expect(await imports.listAfter('one', 'entry', '', 2)).toEqual([item('a'), changed]);
    expect(await imports.listAfter('one', 'entry', 'b', 2)).toEqual([item('c')]);
    expect(await imports.listKnown('one', 'entry', ['c', 'x'])).toEqual([item('c')]);
    expect(await imports.listKnown('two', 'entry', ['a', 'b'])).toEqual([item('a', 9)]);
    const odd = { ...item('odd'), key: 'a\0b\ud800' };
    await write((tx) => tx.imports.putItems('two', 'entry', [odd]));
    expect(await imports.listKnown('two', 'entry', [odd.key])).toEqual([odd]);
    expect(await imports.listKnown('one', 'tags', ['a'])).toEqual([item('a', 0)]);
  });

  test('the progress of a source is what was recorded last, and survives a restart', async () => {
    expect(await committed().imports.findState('one')).toBeUndefined();
    for (const state of ['{"at":1}', '{"at":2}']) await write((tx) => tx.imports.putState('one', state));
    await reopen();
    expect(await committed().imports.findState('one')).toBe('{"at":2}');
    expect(await committed().imports.findState('two')).toBeUndefined();
  });

  test('a failed write records nothing', async () => {
    const failing = write(async (tx) => {
      await tx.imports.putState('one', '{}');
      await tx.imports.putItems('one', 'entry', [item('a')]);
      await tx.entries.insertGiven(given(3));
      throw new Error('refused');
    });
    await expect(failing).rejects.toThrow('refused');
    expect(await committed().imports.findState('one')).toBeUndefined();
    expect(await committed().imports.listAfter('one', 'entry', '', 5)).toEqual([]);
    expect(await committed().entries.find(3)).toBeUndefined();
  });
}
