import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../src/engines/storage.port.js';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import { Fault } from '../../src/kernel/fault.js';
import type { Commit } from '../../src/kernel/unit-of-work.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import { collect } from '../fixtures/collect.js';
import { attachment, entryDraft, logbook, tag } from '../fixtures/entries.js';

/** A storage engine on which the suites run. */
export interface StorageEngine<Opened extends OpenStorage = OpenStorage> {
  readonly name: string;
  readonly supports: {
    /** Whether writes that arrive together share one commit. */
    readonly groupCommit: boolean;
    /** Whether rows are verified from time to time. */
    readonly rowVerification?: boolean;
  };
  open(): Promise<Opened>;
}

export interface OpenStorage {
  readonly storage: Storage;
  /** Closes the storage and opens it again, as a restart does. */
  reopen(): Promise<this>;
  /** Closes the storage and removes its data. */
  destroy(): Promise<void>;
}

/** A storage with a search index of its own. */
export interface OpenSearchableStorage extends OpenStorage {
  readonly searchIndex: SearchIndex;
}

/** Requirements of every storage: transactions, entries, attachments, catalogue, templates and the change feed. */
export function storageSuite({ open, supports }: StorageEngine): void {
  let opened: OpenStorage;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened.destroy();
  });
  const committed = () => opened.storage.committed;
  const archivedOf = async (id: number) => {
    const versions: StoredEntry[] = [];
    for await (const version of committed().entries.listArchived(id)) versions.push(version);
    return versions;
  };
  const write: OpenStorage['storage']['write'] = (work) => opened.storage.write(work);

  describe('transactions', () => {
    test('a write that throws stores nothing and rejects with the same error', async () => {
      const refusal = new Fault('invalid', 'some.code', 'no');
      const failing = write(async (tx) => {
        await tx.entries.insert(entryDraft());
        await tx.attachments.insert(attachment());
        await tx.catalog.put('tags', tag('a'));
        await tx.feed.append({ kind: 'created', entryId: 1, revision: 1, notify: true, atMs: 0 });
        throw refusal;
      });
      await expect(failing).rejects.toBe(refusal);
      expect(await committed().entries.find(1)).toBeUndefined();
      expect(await committed().attachments.find('file-1')).toBeUndefined();
      expect(await collect(committed().catalog.list('tags'))).toEqual([]);
      expect(await committed().feed.newest()).toBe(0);
    });

    test('a commit listener that throws affects neither the write, nor other listeners, nor later writes', async () => {
      const heard: string[] = [];
      const forget = [
        opened.storage.onCommit(() => {
          throw new Error('listener failed');
        }),
        opened.storage.onCommit(() => heard.push('commit')),
      ];
      for (const name of ['a', 'b']) await write((tx) => tx.catalog.put('tags', tag(name)));
      await expect.poll(() => heard).toEqual(['commit', 'commit']);
      for (const stop of forget) stop();
    });

    test('a failing write does not affect the writes that share its commit', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) =>
          write(async (tx) => {
            const entry = await tx.entries.insert(entryDraft({ title: `entry ${index}` }));
            if (index % 7 === 3) throw new Error(`refused ${index}`);
            return entry;
          }),
        ),
      );
      const stored = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(stored).toHaveLength(43);
      for (const { value } of stored) expect(await committed().entries.find(value.id)).toEqual(value);
      expect(new Set(stored.map(({ value }) => value.id)).size).toBe(43);
      outcomes.forEach((outcome, index) => {
        if (outcome.status === 'rejected') expect((outcome.reason as Error).message).toBe(`refused ${index}`);
        expect(outcome.status).toBe(index % 7 === 3 ? 'rejected' : 'fulfilled');
      });
    });

    describe('a handle used after its write has settled throws and stores nothing', () => {
      type Tx = Parameters<Parameters<typeof write>[0]>[0];
      const change = { kind: 'created', entryId: 1, revision: 1, notify: true, atMs: 0 } as const;
      const uses: readonly [string, (tx: Tx) => () => Promise<unknown>][] = [
        ['the handle itself', (tx) => async () => tx.feed.append(change)],
        [
          'a store taken from it before',
          ({ feed }) =>
            () =>
              feed.append(change),
        ],
        [
          'a store that only reads',
          ({ catalog }) =>
            () =>
              catalog.find('tags', 'a'),
        ],
        [
          'another store',
          ({ entries }) =>
            () =>
              entries.insert(entryDraft()),
        ],
      ];

      test.each(uses)('%s, after a commit', async (_use, taken) => {
        const use = await write(async (tx) => ({ later: taken(tx) }));
        await expect(use.later()).rejects.toThrow('this transaction has ended');
        expect(await committed().feed.newest()).toBe(0);
        expect(await committed().entries.find(1)).toBeUndefined();
      });

      test.each(uses)('%s, after a failure', async (_use, taken) => {
        let later: (() => Promise<unknown>) | undefined;
        const failing = write(async (tx) => {
          later = taken(tx);
          throw new Error('refused');
        });
        await expect(failing).rejects.toThrow('refused');
        await expect(later?.()).rejects.toThrow('this transaction has ended');
        expect(await committed().feed.newest()).toBe(0);
      });

      test('an operation that is not awaited does not run in the next write', async () => {
        let notAwaited: Promise<unknown> = Promise.resolve();
        let release = () => {};
        const gate = new Promise<void>((resolve) => {
          release = resolve;
        });
        await write(async (tx) => {
          notAwaited = gate.then(() => tx.feed.append(change));
          notAwaited.catch(() => undefined);
        });
        await write(async (tx) => {
          release();
          await Promise.resolve();
          await tx.catalog.put('tags', tag('mine'));
        });
        await expect(notAwaited).rejects.toThrow('this transaction has ended');
        expect(await committed().feed.newest()).toBe(0);
        expect(await collect(committed().catalog.list('tags'))).toEqual([tag('mine')]);
      });
    });

    test('the catalogue has another revision after each change of it or of the templates, and after nothing else', async () => {
      const { attachments: _, events: __, state: ___, ...fields } = entryDraft();
      const seen = [await opened.storage.catalogRevision()];
      const note = async () => seen.push(await opened.storage.catalogRevision());
      await write((tx) => tx.catalog.put('tags', tag('a'))).then(note);
      await write((tx) => tx.catalog.put('tags', tag('b'))).then(note);
      await write((tx) => tx.catalog.remove('tags', 'a')).then(note);
      await write((tx) => tx.templates.put({ ...fields, id: 't', name: 'Shift' })).then(note);
      await write((tx) => tx.templates.remove('t')).then(note);
      expect(new Set(seen).size).toBe(6);
      await write((tx) => tx.entries.insert(entryDraft())).then(note);
      expect(seen.at(-1)).toBe(seen.at(-2));
    });

    test('commit listeners learn what the commit changed; failed writes are not announced', async () => {
      const commits: Commit[] = [];
      const stopListening = opened.storage.onCommit((commit) => commits.push(commit));
      const file = attachment({ contentType: 'text/plain' });
      await write((tx) => tx.catalog.put('tags', tag('a')));
      const first = await write(async (tx) => {
        const entry = await tx.entries.insert(entryDraft());
        await tx.feed.append({ kind: 'created', entryId: entry.id, revision: 1, notify: true, atMs: 0 });
        return entry;
      });
      const second = await write(async (tx) => {
        await tx.attachments.insert(file);
        await tx.entries.edit(first.entry);
        return tx.entries.insert(entryDraft({ attachments: [file] }));
      });
      await write((tx) => tx.entries.annotate(first.entry));
      await write((tx) => tx.attachments.storeText(file.checksum, 'text'));
      const failing = write(async (tx) => {
        await tx.entries.insert(entryDraft());
        throw new Error('refused');
      });
      await expect(failing).rejects.toThrow('refused');
      stopListening();
      await write((tx) => tx.entries.insert(entryDraft()));
      expect(commits).toEqual([
        { entries: false, entryIds: [], feed: false, files: false, catalog: true },
        { entries: true, entryIds: [first.id], feed: true, files: false, catalog: false },
        { entries: true, entryIds: [first.id, second.id], feed: false, files: true, catalog: false },
        { entries: true, entryIds: [first.id], feed: false, files: false, catalog: false },
        { entries: true, entryIds: [second.id], feed: false, files: false, catalog: false },
      ]);
    });

    test('a commit of more entries than it can name says that any may have changed', async () => {
      const commits: Commit[] = [];
      const stopListening = opened.storage.onCommit((commit) => commits.push(commit));
      await write(async (tx) => {
        for (let count = 0; count <= 256; count += 1) await tx.entries.insert(entryDraft());
      });
      stopListening();
      expect(commits).toMatchObject([{ entries: true, entryIds: undefined }]);
    });

    test('a write sees the results of earlier writes, but nothing of failed ones', async () => {
      const seen = await Promise.allSettled([
        write((tx) => tx.catalog.put('tags', tag('first'))),
        write(async (tx) => {
          await tx.catalog.put('tags', tag('second'));
          throw new Error('no');
        }),
        write((tx) => collect(tx.catalog.list('tags'))),
      ]);
      expect(seen[2]).toMatchObject({ value: [tag('first')] });
    });

    test('readers see nothing of a write before the commit, and everything once it is acknowledged', async () => {
      let during: unknown = 'not read';
      const entry = await write(async (tx) => {
        const inserted = await tx.entries.insert(entryDraft());
        during = await committed().entries.find(inserted.id);
        return inserted;
      });
      expect(during).toBeUndefined();
      expect(await committed().entries.find(entry.id)).toEqual(entry);
    });

    test('commit listeners are called once the commit can be read', async () => {
      const heard: Promise<number>[] = [];
      const stop = opened.storage.onCommit(() => heard.push(committed().feed.newest()));
      await write((tx) => tx.feed.append({ kind: 'created', entryId: 1, revision: 1, notify: true, atMs: 5 }));
      await write(() => Promise.reject(new Error('no'))).catch(() => undefined);
      stop();
      await write((tx) => tx.catalog.put('tags', tag('a')));
      const newest = await committed().feed.newest();
      expect(newest).toBeGreaterThan(0);
      expect(await Promise.all(heard)).toEqual([newest]);
    });

    test.runIf(supports.groupCommit)('writes that arrive together share a commit', async () => {
      let commits = 0;
      const stopListening = opened.storage.onCommit(() => {
        commits += 1;
      });
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => write((tx) => tx.catalog.put('tags', tag(`${index}`)))),
      );
      stopListening();
      expect(commits).toBeLessThan(50);
    });

    test('a write that starts when another is acknowledged is stored', async () => {
      let chain = Promise.resolve();
      for (let index = 0; index < 20; index++) {
        chain = chain.then(() => write((tx) => tx.catalog.put('tags', tag(`tag ${index}`))));
      }
      await chain;
      expect(await collect(committed().catalog.list('tags'))).toHaveLength(20);
    });

    test('closing stores the queued writes and refuses later ones', async () => {
      const last = write((tx) => tx.catalog.put('tags', tag('last')));
      const reopening = opened.reopen();
      await expect(write((tx) => tx.catalog.put('tags', tag('refused')))).rejects.toMatchObject({
        kind: 'unavailable',
      });
      await last;
      opened = await reopening;
      expect(await collect(committed().catalog.list('tags'))).toEqual([tag('last')]);
    });

    test('entries and the id of the store survive a restart', async () => {
      const before = await opened.storage.status();
      const entry = await write((tx) => tx.entries.insert(entryDraft()));
      opened = await opened.reopen();
      expect(await committed().entries.find(entry.id)).toEqual(entry);
      expect(await opened.storage.status()).toEqual(before);
      expect(before).toMatchObject({ state: 'CONNECTED' });
      expect(before.storeId).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  describe('entries', () => {
    test('ids increase and are never reused, despite failures and restarts', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft()));
      await write(async (tx) => {
        await tx.entries.insert(entryDraft());
        throw new Error('no');
      }).catch(() => undefined);
      opened = await opened.reopen();
      const second = await write((tx) => tx.entries.insert(entryDraft()));
      expect(first).toMatchObject({ id: 1, revision: 1 });
      expect(second.id).toBeGreaterThan(first.id);
    });

    test('an edit archives exactly the previous version', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft({ title: 'one' })));
      const second = await write((tx) => tx.entries.edit({ ...first.entry, title: 'two', modifyDate: 2_000 }));
      const third = await write((tx) => tx.entries.edit({ ...second.entry, title: 'three', modifyDate: 3_000 }));
      expect([first.revision, second.revision, third.revision]).toEqual([1, 2, 3]);
      expect(await committed().entries.find(first.id)).toEqual(third);
      expect(await archivedOf(first.id)).toEqual([second, first]);
    });

    test('an annotation archives nothing', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft()));
      const second = await write((tx) => tx.entries.annotate({ ...first.entry, title: 'noted' }));
      expect(second.revision).toBe(2);
      expect(await committed().entries.find(first.id)).toEqual(second);
      expect(await archivedOf(first.id)).toEqual([]);
    });

    test('an entry shows how often it was edited, and each version is found by its number', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft()));
      const noted = await write((tx) => tx.entries.annotate({ ...first.entry, title: 'noted' }));
      const second = await write((tx) => tx.entries.edit({ ...noted.entry, title: 'two', version: 41 }));
      const third = await write((tx) => tx.entries.edit({ ...second.entry, title: 'three' }));
      const last = await write((tx) => tx.entries.annotate({ ...third.entry, title: 'noted again' }));
      expect([first, noted, second, third, last].map(({ entry }) => entry.version)).toEqual([1, 1, 2, 3, 3]);
      for (const [number, version] of [noted, second, last].entries()) {
        expect(await committed().entries.findVersion(first.id, number + 1)).toEqual(version);
      }
      for (const number of [0, 4, 1_000_000]) {
        expect(await committed().entries.findVersion(first.id, number)).toBeUndefined();
      }
      expect(await committed().entries.findVersion(first.id + 1, 1)).toBeUndefined();
    });

    test('a failed edit stores neither the change nor an archived copy', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft()));
      await write(async (tx) => {
        await tx.entries.edit({ ...first.entry, title: 'two' });
        throw new Error('no');
      }).catch(() => undefined);
      expect(await committed().entries.find(first.id)).toEqual(first);
      expect(await archivedOf(first.id)).toEqual([]);
    });

    test('the archive of entry 12 contains nothing of entries 1 and 120', async () => {
      for (let id = 1; id <= 120; id++) await write((tx) => tx.entries.insert(entryDraft({ title: `entry ${id}` })));
      for (const id of [1, 12, 120]) {
        const entry = await committed().entries.find(id);
        if (entry) await write((tx) => tx.entries.edit({ ...entry.entry, title: 'edited' }));
      }
      expect((await archivedOf(12)).map(({ entry }) => entry.title)).toEqual(['entry 12']);
      expect(await archivedOf(2)).toEqual([]);
    });

    test('text is stored unchanged', async () => {
      const text = 'tab\t, line\r\nend  , “quotes” \\ / 𝒳 😀 \u2028 e\u0301';
      const entry = await write((tx) => tx.entries.insert(entryDraft({ source: text, title: text })));
      expect(await committed().entries.find(entry.id)).toMatchObject({ entry: { source: text, title: text } });
    });
  });

  describe('attachments', () => {
    test('409 attachment.id-taken: an id can be stored once', async () => {
      await write((tx) => tx.attachments.insert(attachment()));
      await expect(write((tx) => tx.attachments.insert(attachment({ filename: 'other.png' })))).rejects.toMatchObject({
        kind: 'conflict',
        code: 'attachment.id-taken',
      });
      expect(await committed().attachments.find('file-1')).toEqual(attachment());
    });

    test('a checksum is referenced as long as any attachment has it', async () => {
      await write((tx) => tx.attachments.insert(attachment()));
      const referenced = await committed().attachments.referenced(['a'.repeat(64), 'b'.repeat(64)]);
      expect([...referenced]).toEqual(['a'.repeat(64)]);
    });

    test('a file name leads to the attachments of all versions, those of the newest version first', async () => {
      const entry = await storeFileVersions();
      const shown = async (name: string) => {
        const found: unknown[] = [];
        for await (const { attachmentId, logbooks } of committed().attachments.listShown(entry.id, name))
          found.push([attachmentId, ...logbooks.map((one) => one.name)]);
        return found;
      };
      expect(await shown('a.txt')).toEqual([
        ['third', 'controls', 'operations'],
        ['first', 'controls', 'operations'],
        ['first', 'operations'],
        ['second', 'operations'],
      ]);
      expect(await shown('b.txt')).toEqual([['other', 'operations']]);
      expect(await shown('A.TXT')).toEqual([]);
    });

    test('an attachment leads to the entries of all versions that show it, with their logbooks', async () => {
      const one = await storeFileVersions();
      const two = await write((tx) => tx.entries.insert(entryDraft({ attachments: [file('first')] })));
      const showing: unknown[] = [];
      for await (const { entryId, logbooks } of committed().attachments.listShowing('first'))
        showing.push([entryId, ...logbooks.map(({ name }) => name)]);
      expect(showing).toEqual([
        [one.id, 'controls', 'operations'],
        [one.id, 'operations'],
        [two.id, 'operations'],
      ]);
      const none: unknown[] = [];
      for await (const entry of committed().attachments.listShowing('nothing')) none.push(entry);
      expect(none).toEqual([]);
    });

    const file = (id: string, filename = 'a.txt') => attachment({ id, filename });

    /** Stores an entry in four versions: files are added, removed and added again, and the logbooks change. */
    test('a file leads to the entries that show it or did before an edit, by their ids', async () => {
      const one = await storeFileVersions();
      const two = await write((tx) => tx.entries.insert(entryDraft({ attachments: [file('first')] })));
      const { attachments } = committed();
      const { checksum } = file('first');
      expect(await attachments.listEntriesOfFile(checksum, 9)).toEqual([one.id, two.id]);
      expect(await attachments.listEntriesOfFile(checksum, 1)).toEqual([one.id]);
      expect(await attachments.listEntriesOfFile('f'.repeat(64), 9)).toEqual([]);
    });

    async function storeFileVersions(): Promise<StoredEntry> {
      const both = [logbook('operations'), logbook('controls')];
      const versions = [
        { attachments: [file('first'), file('second'), file('other', 'b.txt')] },
        { attachments: [file('first')] },
        { attachments: [file('third'), file('first')], logbooks: both },
        { attachments: [], logbooks: both },
      ];
      await write(async (tx) => {
        for (const { attachments } of versions.slice(0, 1))
          for (const one of attachments) await tx.attachments.insert(one);
        await tx.attachments.insert(file('third'));
      });
      const [created = {}, ...edits] = versions;
      const stored = await write((tx) => tx.entries.insert(entryDraft(created)));
      for (const fields of edits) await write((tx) => tx.entries.edit({ ...stored.entry, ...fields }));
      return stored;
    }
  });

  describe('catalogue', () => {
    test('items are found by exact name, listed in order, replaced, removed', async () => {
      await write(async (tx) => {
        for (const name of ['b', 'a', 'B']) await tx.catalog.put('logbooks', logbook(name));
        await tx.catalog.put('logbooks', { ...logbook('a'), state: 'Inactive' });
        await tx.catalog.put('tags', tag('a'));
      });
      expect((await collect(committed().catalog.list('logbooks'))).map((item) => item.name)).toEqual(['B', 'a', 'b']);
      expect(await committed().catalog.find('logbooks', 'a')).toMatchObject({ state: 'Inactive' });
      expect(await committed().catalog.find('logbooks', 'A')).toBeUndefined();
      expect(await write((tx) => tx.catalog.remove('logbooks', 'b'))).toBe(true);
      expect(await write((tx) => tx.catalog.remove('logbooks', 'b'))).toBe(false);
      expect(await committed().catalog.find('tags', 'a')).toEqual(tag('a'));
    });

    test('the size of a list counts its items, inactive ones too, and the bytes of their JSON', async () => {
      expect(await committed().catalog.measure('tags')).toEqual({ items: 0, bytes: 0 });
      const stored = [tag('a'), { ...tag('ä'), state: 'Inactive' as const }];
      await write(async (tx) => {
        for (const item of stored) await tx.catalog.put('tags', item);
        await tx.catalog.put('logbooks', logbook('other'));
      });
      const bytes = stored.reduce((sum, item) => sum + Buffer.byteLength(JSON.stringify(item)), 0);
      expect(await committed().catalog.measure('tags')).toEqual({ items: 2, bytes });
    });

    test('a list that is being read leaves the event loop to others, and has what is stored at the end', async () => {
      await write(async (tx) => {
        for (let index = 1_000; index < 2_000; index++) await tx.catalog.put('tags', tag(`tag ${index}`));
      });
      const names: string[] = [];
      for await (const { name } of committed().catalog.list('tags')) {
        if (names.push(name) === 10) await write((tx) => tx.catalog.put('tags', tag('tag 9')));
      }
      expect(names).toHaveLength(1_001);
      expect(names.at(-1)).toBe('tag 9');
    });

    test('a list is complete, whatever its length', async () => {
      await write(async (tx) => {
        for (let index = 0; index < 1_500; index++) await tx.catalog.put('tags', tag(`tag ${index}`));
      });
      expect(await collect(committed().catalog.list('tags'))).toHaveLength(1_500);
    });
  });

  describe('templates', () => {
    const template = (id: string, name: string) => {
      const { attachments: _, events: __, state: ___, ...fields } = entryDraft();
      return { ...fields, id, name };
    };

    test('a name is unique, ignoring case; a template may be replaced under its own name', async () => {
      await write((tx) => tx.templates.put(template('1', 'Shift')));
      await expect(write((tx) => tx.templates.put(template('2', 'SHIFT')))).rejects.toMatchObject({
        kind: 'invalid',
        code: 'template.name-taken',
      });
      await write((tx) => tx.templates.put({ ...template('1', 'shift'), title: 'new' }));
      const stored = await collect(committed().templates.list());
      expect(stored.map((one) => one.template)).toMatchObject([{ name: 'shift', title: 'new' }]);
      expect(await committed().templates.find('2')).toBeUndefined();
      expect(await write((tx) => tx.templates.remove('1'))).toBe(true);
      expect(await write((tx) => tx.templates.remove('1'))).toBe(false);
    });

    test('many are listed completely and in order, short ones and long ones', async () => {
      const names = Array.from({ length: 250 }, (_, at) => `many ${String(at).padStart(3, '0')}`);
      const isLong = (at: number) => at % 10 === 3;
      for (const [at, name] of names.entries()) {
        const source = 'x'.repeat(isLong(at) ? 150_000 : 100);
        await write((tx) => tx.templates.put({ ...template(name, name), source }));
      }
      const stored = await collect(committed().templates.list());
      expect(stored.map((one) => one.template.name)).toEqual(names);
      expect(stored.map((one) => one.template.source?.length)).toEqual(
        names.map((_, at) => (isLong(at) ? 150_000 : 100)),
      );
      for (const name of names) await write((tx) => tx.templates.remove(name));
    });
  });

  describe('change feed', () => {
    const change = (entryId: number) =>
      ({ kind: 'created', entryId, revision: 1, notify: entryId % 2 === 0, atMs: entryId }) as const;

    test('changes come back in order, from any position', async () => {
      for (let id = 1; id <= 5; id++) await write((tx) => tx.feed.append(change(id)));
      const all = await committed().feed.listAfter(0, 100);
      expect(all.map(({ sequence: _, ...rest }) => rest)).toEqual([1, 2, 3, 4, 5].map(change));
      const third = all[2]?.sequence ?? 0;
      expect(await committed().feed.listAfter(third, 1)).toMatchObject([{ entryId: 4 }]);
      expect(await committed().feed.newest()).toBe(all.at(-1)?.sequence);
    });
  });
}
