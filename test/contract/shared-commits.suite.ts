import { expect, test } from 'vitest';
import type { Storage } from '../../src/engines/storage.port.js';
import { isIntact } from '../../src/entries/change-feed.port.js';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import { createOnce } from '../fixtures/create-once.js';
import { entryDraft, tag } from '../fixtures/entries.js';
import { openForEachTest } from './open-for-each-test.js';
import type { StorageEngine } from './storage.suite.js';

/** Isolation of writes that arrive together: each runs as if alone, after those before it. */
export function sharedCommitsSuite({ open }: StorageEngine): void {
  const { opened } = openForEachTest(open);
  const committed = () => opened().storage.committed;
  const write: Storage['write'] = (work) => opened().storage.write(work);
  test('writes under one key: the first stores an entry, the others find it', async () => {
    const ids = await Promise.all(['a', 'b', 'a', 'b', 'a'].map((key) => createOnce(opened().storage, key)));
    const [a, b] = ids;
    expect(ids).toEqual([a, b, a, b, a]);
    expect(a).not.toBe(b);
  });

  test('an entry is read, edited and replied to by the writes after the one that created it', async () => {
    let first: StoredEntry | undefined;
    const [created, edited, reply] = await Promise.all([
      write(async (tx) => {
        first = await tx.entries.insert(entryDraft({ title: 'one' }));
        return first;
      }),
      write(async (tx) => {
        const found = await tx.entries.find(first?.id ?? 0);
        if (!found) throw new Error('not found');
        return tx.entries.edit({ ...found.entry, title: 'two' });
      }),
      write((tx) => tx.entries.insert(entryDraft(), { inReplyTo: first?.id })),
    ]);
    expect(await committed().entries.find(created.id)).toEqual(edited);
    expect(await committed().entries.findParent(reply.id)).toBe(created.id);
    expect(await committed().entries.findVersion(created.id, 1)).toEqual(created);
  });

  test('a write that fails after another of its commit leaves no entry, change or record', async () => {
    const append = (tx: Parameters<Parameters<typeof write>[0]>[0], { id, revision }: StoredEntry) =>
      tx.feed.append({ kind: 'created', entryId: id, revision, notify: true, atMs: 1 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 12 }, (_, index) =>
        write(async (tx) => {
          const entry = await tx.entries.insert(entryDraft({ title: `entry ${index}` }));
          await append(tx, entry);
          if (index % 3 === 1) throw new Error('refused');
          return entry;
        }),
      ),
    );
    const stored = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
    expect(stored.map(({ entry }) => entry.title)).toEqual([0, 2, 3, 5, 6, 8, 9, 11].map((index) => `entry ${index}`));
    const ids = stored.map(({ id }) => id);
    expect((await committed().feed.listAfter(0, 100)).filter(isIntact).map(({ entryId }) => entryId)).toEqual(ids);
    expect((await committed().ledger.listRecordsAfter(0, 100)).map(({ entryId }) => entryId)).toEqual(ids);
    expect((await committed().entryWrites.listAfter(undefined, 100)).map(({ id }) => id)).toEqual(ids);
  });

  test('a write sees the catalogue as the writes before it have left it', async () => {
    const find = (name: string) => write((tx) => tx.catalog.find('tags', name));
    const put = (name: string) => write((tx) => tx.catalog.put('tags', tag(name)));
    const names = () =>
      write(async (tx) => {
        const all: string[] = [];
        for await (const { name } of tx.catalog.list('tags')) all.push(name);
        return all;
      });
    const refuse = () =>
      write(async (tx) => {
        await tx.catalog.put('tags', tag('refused'));
        expect(await tx.catalog.find('tags', 'refused')).toEqual(tag('refused'));
        throw new Error('refused');
      }).catch((error: Error) => error.message);
    const seen = [find('a'), names(), put('a'), find('a'), names(), refuse(), find('refused'), names()];
    const removal = write((tx) => tx.catalog.remove('tags', 'a'));
    const after = [find('a'), names()];
    expect(await Promise.all(seen)).toEqual([
      ...[undefined, [], undefined, tag('a'), ['a']],
      ...['refused', undefined, ['a']],
    ]);
    expect(await removal).toBe(true);
    expect(await Promise.all(after)).toEqual([undefined, []]);
  });

  test('many entries of one write are stored in their order, and the write sees all of them', async () => {
    const entries = await write(async (tx) => {
      const created: StoredEntry[] = [];
      for (let n = 0; n < 150; n++) created.push(await tx.entries.insert(entryDraft({ title: `entry ${n}` })));
      for (const entry of [created[0], created[149]]) {
        expect((await tx.entries.find(entry?.id ?? 0))?.json).toEqual(entry?.json);
      }
      return created;
    });
    const listed = await committed().entryWrites.listAfter(undefined, 1_000);
    expect(listed.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
  });
}
