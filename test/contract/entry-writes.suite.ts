import { expect, test } from 'vitest';
import type { EntryWrite } from '../../src/entries/entry-writes.port.js';
import { attachment, entryDraft } from '../fixtures/entries.js';
import { openForEachTest } from './open-for-each-test.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

/** Requirements of every storage so that a search index can follow its entries. */
export function entryWritesSuite({ open }: StorageEngine): void {
  const { opened, reopen } = openForEachTest(open);
  const writes = () => opened().storage.committed.entryWrites;
  const write: OpenStorage['storage']['write'] = (work) => opened().storage.write(work);
  const insert = (fields = {}) => write((tx) => tx.entries.insert(entryDraft(fields)));
  const idsOf = (list: readonly EntryWrite[]) => list.map(({ id }) => id);
  const last = (list: readonly EntryWrite[]) => list.at(-1)?.position ?? expect.fail('no write is listed');
  const document = (id: string, checksum: string) =>
    attachment({ id, filename: `${id}.txt`, contentType: 'text/plain', checksum: checksum.repeat(64) });

  test('entries are listed in the order of their last write, from any position', async () => {
    const [one, two, three] = [await insert(), await insert(), await insert()];
    const before = await writes().listAfter(undefined, 10);
    expect(before.map(({ id, revision }) => [id, revision])).toEqual([one, two, three].map(({ id }) => [id, 1]));
    await write((tx) => tx.entries.edit({ ...one.entry, title: 'edited' }));
    await write((tx) => tx.entries.annotate({ ...two.entry, title: 'annotated' }));
    const after = await writes().listAfter(last(before), 10);
    expect(after.map(({ id, revision }) => [id, revision])).toEqual([
      [one.id, 2],
      [two.id, 2],
    ]);
    expect(idsOf(await writes().listAfter(undefined, 10))).toEqual([three.id, one.id, two.id]);
    expect(await writes().listAfter(last(after), 10)).toEqual([]);
    expect(last(after)).toBe(await writes().newestPosition());
  });

  test('the pages of a list join without a gap, also within one transaction', async () => {
    await write(async (tx) => {
      for (let n = 0; n < 25; n++) await tx.entries.insert(entryDraft());
    });
    const found: number[] = [];
    let position: string | undefined;
    for (;;) {
      const page = await writes().listAfter(position, 4);
      found.push(...idsOf(page));
      if (page.length < 4) break;
      position = last(page);
      expect(await writes().countAfter(position)).toBe(25 - found.length);
    }
    expect(found).toEqual(idsOf(await writes().listAfter(undefined, 100)));
    expect(found).toHaveLength(25);
    expect(await writes().countAfter(undefined)).toBe(25);
  });

  test('concurrent writes: a reader that follows them gets each entry after its last write, and misses none', async () => {
    const followed = new Map<number, number>();
    let isDone = false;
    let position: string | undefined;
    const follow = async () => {
      for (;;) {
        const isLast = isDone;
        const page = await writes().listAfter(position, 7);
        for (const one of page) followed.set(one.id, one.revision);
        position = page.at(-1)?.position ?? position;
        if (isLast && page.length === 0) return;
        await new Promise(setImmediate);
      }
    };
    const following = follow();
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const entry = await insert();
        if (n % 3 === 0) await write((tx) => tx.entries.edit({ ...entry.entry, title: 'edited' }));
      }),
    );
    isDone = true;
    await following;
    expect(followed.size).toBe(60);
    expect([...followed.values()].filter((version) => version === 2)).toHaveLength(20);
  });

  test('the committed writes begin with those in the sequence, and are final when nothing else is being written', async () => {
    const ids = [(await insert()).id, (await insert()).id, (await insert()).id];
    const listed = await writes().listCommittedAfter(undefined, 2);
    expect(listed.map(({ id, revision, isFinal }) => [id, revision, isFinal])).toEqual([
      [ids[0], 1, true],
      [ids[1], 1, true],
    ]);
    const rest = await writes().listCommittedAfter(last(listed), 9);
    expect(idsOf(rest)).toEqual([ids[2]]);
    expect(last(rest)).toBe(await writes().newestPosition());
    expect(await writes().listCommittedAfter(last(rest), 9)).toEqual([]);
  });

  test('a storage contains the positions that it gave, also after a restart, and no later ones', async () => {
    const empty = await writes().newestPosition();
    await insert();
    const first = await writes().newestPosition();
    await reopen();
    await insert();
    const second = await writes().newestPosition();
    for (const position of [empty, first, second]) expect(await writes().contains(position), position).toBe(true);
    expect(idsOf(await writes().listAfter(first, 10))).toHaveLength(1);
    const other = await open();
    try {
      await other.storage.write((tx) => tx.entries.insert(entryDraft()));
      expect(await other.storage.committed.entryWrites.contains(second)).toBe(false);
    } finally {
      await other.destroy();
    }
    await expect(writes().listAfter('something else', 1)).rejects.toThrow('not a position');
  });

  test('storing the text of a file moves its entries to the end, and the index sees this text', async () => {
    const [a, b] = [document('a', 'a'), document('b', 'b')];
    const entry = await insert({ attachments: [a, b], source: 'the *text* with markup' });
    const other = await insert();
    expect(await writes().findSearchable(entry.id)).toMatchObject({ id: entry.id, attachmentTexts: ['', ''] });
    const position = await writes().newestPosition();
    await write((tx) => tx.attachments.storeText(b.checksum, 'words of b'));
    await write((tx) => tx.attachments.storeText(a.checksum, ''));
    expect(idsOf(await writes().listAfter(position, 10))).toEqual([entry.id]);
    expect(await writes().findSearchable(entry.id)).toMatchObject({
      view: { title: 'title', source: '', attachments: [{ id: 'a' }, { id: 'b' }] },
      isReply: false,
      attachmentTexts: ['', 'words of b'],
    });
    const reply = await write((tx) => tx.entries.insert(entryDraft(), { inReplyTo: other.id }));
    expect((await writes().findSearchable(reply.id))?.isReply).toBe(true);
    expect(await writes().findSearchable(reply.id + 1)).toBeUndefined();
  });

  test('the index sees the first million characters of all attachments of an entry together', async () => {
    const files = ['a', 'b', 'c'].map((name) => document(name, name));
    const entry = await insert({ attachments: files });
    await write(async (tx) => {
      for (const { checksum } of files) await tx.attachments.storeText(checksum, `${checksum[0]}`.repeat(600_000));
    });
    const texts = (await writes().findSearchable(entry.id))?.attachmentTexts ?? [];
    expect(texts.map(({ length }) => length)).toEqual([600_000, 400_000]);
  });

  test('archived versions are listed from any of them, the oldest first', async () => {
    const first = await insert({ title: 'one' });
    const second = await write((tx) => tx.entries.edit({ ...first.entry, title: 'two' }));
    await write((tx) => tx.entries.edit({ ...second.entry, title: 'three' }));
    const titles = async (version: number) =>
      (await writes().listSearchableFrom(first.id, version)).map(({ view }) => view.title);
    expect(await titles(1)).toEqual(['one', 'two']);
    expect(await titles(2)).toEqual(['two']);
    expect(await titles(3)).toEqual([]);
    expect(await writes().listSearchableFrom(first.id + 1, 1)).toEqual([]);
  });
}
