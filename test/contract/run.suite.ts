import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogbookAccess } from '../../src/auth/logbook-access.js';
import { Permissions } from '../../src/auth/permissions.js';
import { type AppendBlock, appendBlock, type RunDeps } from '../../src/entries/append-block.js';
import { closeRun } from '../../src/entries/close-run.js';
import { DeviceNames } from '../../src/entries/device-names.js';
import type { Entry } from '../../src/entries/entry.js';
import { encodeEntry, type StoredEntry } from '../../src/entries/entry-json.js';
import { GrowingRuns } from '../../src/entries/growing-runs.js';
import { redactEntry } from '../../src/entries/redact-entry.js';
import { TextRenderer } from '../../src/entries/text-renderer.js';
import { updateEntry } from '../../src/entries/update-entry.js';
import { listFormerDigests, redigestEntry } from '../../src/ledger/entry-digest.js';
import { collect } from '../fixtures/collect.js';
import { entryDraft, property } from '../fixtures/entries.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

const author = { scheme: 'test', userName: 'user', roles: [], groups: [] } as const;

/** Requirements of every storage for entries that grow by blocks. */
export function runSuite({ open }: StorageEngine): void {
  let opened: OpenStorage;
  let nowMs = 1_000;
  const texts = new TextRenderer();
  const growingRuns = new GrowingRuns();
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.destroy());

  const deps = (): RunDeps => ({
    storage: opened.storage,
    blobs: undefined as never,
    texts,
    clock: { nowMs: () => nowMs++ },
    permissions: new Permissions('signed-in', new LogbookAccess([])),
    deviceNames: new DeviceNames(['SR:*']),
    growingRuns,
  });
  const openRun = async () => {
    const run = { status: 'running', blocks: 0, changedDate: nowMs } as const;
    const stored = await opened.storage.write((tx) => tx.entries.insert(entryDraft({ run })));
    return stored.id;
  };
  const append = (entryId: number, sequence: number, text: string, more: Partial<AppendBlock> = {}) => {
    const request = { entryId, sequence, block: { text, values: [] }, markup: 'commonmark', uploads: [] } as const;
    return appendBlock(deps(), { ...request, author, notify: true, ...more });
  };
  const read = async (id: number) => (await opened.storage.committed.entries.find(id))?.entry;
  const code = (fault: string) => expect.objectContaining({ code: fault });

  test('blocks extend the entry without an archived version; closing it archives one', async () => {
    const id = await openRun();
    await append(id, 1, 'The *first* at SR:V1');
    await append(id, 2, '', { block: { text: '', values: [{ name: 'motor', value: '1.5' }] } });
    expect(await read(id)).toMatchObject({
      source: 'text\n\nThe *first* at SR:V1\n\n- `motor`: `1.5`',
      description: 'text\nThe first at SR:V1\n- motor: 1.5',
      devices: ['SR:V1'],
      run: { status: 'running', blocks: 2 },
      version: 1,
      modifyDate: null,
    });
    expect(await collect(opened.storage.committed.entries.listArchived(id))).toEqual([]);
    const close = { entryId: id, author, status: 'done', blocks: 2, notify: true } as const;
    const closed = await closeRun(deps(), close);
    expect(closed).toMatchObject({ revision: 4, entry: { version: 2, run: { status: 'done', blocks: 2 } } });
    expect(await closeRun(deps(), close)).toMatchObject({ revision: 4 });
    expect(await collect(opened.storage.committed.entries.listArchived(id))).toHaveLength(1);
    await expect(append(id, 3, 'late')).rejects.toEqual(code('run.closed'));
    await expect(closeRun(deps(), { ...close, status: 'failed' })).rejects.toEqual(code('run.closed'));
  });

  test('the refusals of a closed run say that it is closed, and a close names the blocks that are missing', async () => {
    const id = await openRun();
    await append(id, 1, 'one');
    const close = { entryId: id, author, status: 'done', blocks: 77, notify: true } as const;
    const lacking = {
      code: 'run.missing-blocks',
      message: `Entry ${id} has 1 of 77 blocks, so its run stays open. Send block 2, and close it then.`,
    };
    await expect(closeRun(deps(), close)).rejects.toMatchObject(lacking);
    await closeRun(deps(), { ...close, blocks: 1 });
    const closed = `The run of entry ${id} is closed (status: done, blocks: 1); nothing was changed.`;
    const refusals = [
      () => append(id, 1, 'other'),
      () => append(id, 9, 'early'),
      () => closeRun(deps(), close),
      () => closeRun(deps(), { ...close, status: 'failed' }),
    ];
    for (const refused of refusals) {
      await expect(refused()).rejects.toMatchObject({ code: 'run.closed', message: expect.stringContaining(closed) });
    }
    expect(await append(id, 1, 'one')).toMatchObject({ isRepeated: true });
  });

  test('a repeat is stored once; another block under a number, and a gap, are refused', async () => {
    const id = await openRun();
    const first = await append(id, 1, 'one');
    await append(id, 2, 'two');
    expect(await append(id, 1, 'one')).toEqual({ ...first, isRepeated: true });
    await expect(append(id, 1, 'other')).rejects.toEqual(code('run.block-taken'));
    await expect(append(id, 4, 'four')).rejects.toMatchObject({
      code: 'run.missing-blocks',
      details: { nextSequence: 3 },
    });
    const close = { entryId: id, author, status: 'done', blocks: 3, notify: true } as const;
    await expect(closeRun(deps(), close)).rejects.toEqual(code('run.missing-blocks'));
    expect((await read(id))?.source).toBe('text\n\none\n\ntwo');
    const twice = await Promise.all([append(id, 3, 'three'), append(id, 3, 'three')]);
    expect(twice.map(({ isRepeated }) => isRepeated).sort()).toEqual([false, true]);
    expect((await read(id))?.run).toMatchObject({ blocks: 3 });
  });

  test('each append has a record, whose digest follows from the entry as it is stored', async () => {
    const id = await openRun();
    await append(id, 1, 'one');
    await append(id, 2, 'two\t"quoted" \\ 20 °C 😀');
    await opened.storage.write(async (tx) => {
      const stored = (await tx.entries.find(id)) as StoredEntry;
      const properties = [...stored.entry.properties, property('x', { y: 'z' })];
      await tx.entries.annotate({ ...stored.entry, properties }, stored);
    });
    await append(id, 3, 'three');
    await closeRun(deps(), { entryId: id, author, status: 'done', blocks: undefined, notify: true });
    const records = await opened.storage.committed.ledger.listRecordsAfter(0, 100);
    expect(records.map(({ kind, version }) => [kind, version])).toEqual([
      ['created', 1],
      ['annotated', 2],
      ['annotated', 3],
      ['annotated', 4],
      ['annotated', 5],
      ['edited', 6],
    ]);
    const [archived] = await opened.storage.write((tx) => collect(tx.redactions.listVersions(id)));
    const { entry, salts } = archived ?? { entry: {} as Entry, salts: '' };
    const digests = [...listFormerDigests(entry, salts, [null]).flat(), redigestEntry(entry, salts, null)];
    expect(digests).toEqual(records.slice(0, 5).map(({ digest }) => digest));
    expect(listFormerDigests({ ...entry, source: `${entry.source}!` }, salts, [null]).flat()).not.toContain(
      digests.at(-1),
    );
    const forged = listFormerDigests({ ...entry, source: entry.source.replace('one', 'two') }, salts, [null]).flat();
    expect(forged[1]).not.toBe(digests[1]);
  });

  test('a run that grows through several nodes is stored as if it had been encoded as a whole', async () => {
    const id = await openRun();
    const nodes = [new GrowingRuns(), new GrowingRuns()];
    const through = [0, 0, 1, 1, 0, 1, 0, 0];
    for (const [at, node] of through.entries()) {
      const request = { entryId: id, sequence: at + 1, block: { text: `"${at}"\n°`, values: [] }, uploads: [] };
      const runs = { ...deps(), growingRuns: nodes[node] as GrowingRuns };
      await appendBlock(runs, { ...request, markup: 'none', author, notify: true });
    }
    const stored = (await opened.storage.committed.entries.find(id)) as StoredEntry;
    expect(stored.entry.source).toBe(['text', ...through.map((_, at) => `"${at}"\n°`)].join('\n\n'));
    expect(stored.json.equals(encodeEntry(stored.entry))).toBe(true);
    expect(nodes.map((node) => node.recall(stored).isEncoded)).toEqual([true, false]);
  });

  test('a redaction between two appends is not undone, and the run is not kept in memory', async () => {
    const id = await openRun();
    await append(id, 1, 'swordfish');
    const before = (await opened.storage.committed.entries.find(id)) as StoredEntry;
    expect(growingRuns.recall(before)).not.toBe(before);
    const parts = { title: false, text: true, properties: false, attachments: [] };
    await redactEntry(deps(), { entryId: id, parts, reason: 'secret', by: author });
    expect(growingRuns.recall(before)).toBe(before);
    // The same refusal for any content: it must not confirm a guess.
    for (const guess of ['swordfish', 'guess'])
      await expect(append(id, 1, guess)).rejects.toEqual(code('run.block-removed'));
    await append(id, 2, 'two');
    expect(await append(id, 2, 'two')).toMatchObject({ isRepeated: true });
    const { entry, json } = (await opened.storage.committed.entries.find(id)) as StoredEntry;
    expect(json.toString()).not.toContain('swordfish');
    expect(entry.source).toMatch(/^Removed by user on .*: secret\n\ntwo$/);
    expect(json.equals(encodeEntry(entry))).toBe(true);
  });

  test('an append that is rolled back leaves no entry in memory', async () => {
    const id = await openRun();
    const { storage } = opened;
    const failing: RunDeps['storage'] = {
      committed: storage.committed,
      write: (work) =>
        storage.write(async (tx) => {
          await work(tx);
          throw new Error('rolled back');
        }),
    };
    const request = { entryId: id, sequence: 1, markup: 'commonmark', uploads: [], author, notify: true } as const;
    const rolledBack = { ...request, block: { text: 'lost', values: [] } };
    const atOneTime = { ...deps(), clock: { nowMs: () => 1_000 } };
    await expect(appendBlock({ ...atOneTime, storage: failing }, rolledBack)).rejects.toThrow('rolled back');
    // Another node stores the same bytes.
    await appendBlock({ ...atOneTime, growingRuns: new GrowingRuns() }, rolledBack);
    const stored = (await opened.storage.committed.entries.find(id)) as StoredEntry;
    expect(growingRuns.recall(stored)).toBe(stored);
    await append(id, 2, 'two');
    expect((await read(id))?.source).toBe('text\n\nlost\n\ntwo');
  });

  describe('an edit that does not say which version it is based on', () => {
    const edit = async (entryId: number, sent: { source?: string; description?: string }) => {
      const text = sent.source || (sent.description ?? '');
      const draft = { ...sent, title: 'edited', text, level: undefined, logbooks: ['operations'], tags: [] };
      const fields = { source: undefined, description: undefined, ...draft, properties: [], events: [] };
      const how = { markup: 'commonmark', expects: undefined, notify: true, draftId: undefined } as const;
      const request = { ...how, entryId, editor: author, draft: fields, attachments: undefined, uploads: [] };
      return (await updateEntry(deps(), request)).entry;
    };
    /** Opens a run with blocks, and returns each version of it. */
    const openWith = async (blocks: readonly string[]) => {
      const id = await openRun();
      const versions = [(await read(id)) as Entry];
      for (const [at, text] of blocks.entries()) {
        await append(id, at + 1, text);
        versions.push((await read(id)) as Entry);
      }
      return { id, versions };
    };
    const blocks = ['- a *first*', 'same', 'same', '- `motor`: `1.5`', 'last'];

    test.each([0, 1, 2, 3, 4, 5])('keeps the blocks after block %i, once and in order', async (seen) => {
      const { id, versions } = await openWith(blocks);
      const all = versions.at(-1) as Entry;
      const { source, description } = versions[seen] as Entry;
      const edited = await edit(id, { source: source.replace('text', 'Text.'), description });
      expect(edited).toMatchObject({
        title: 'edited',
        source: all.source.replace('text', 'Text.'),
        description: all.description.replace('text', 'Text.'),
        run: { status: 'running', blocks: 5 },
        version: 2,
      });
      await append(id, 6, 'more');
      await closeRun(deps(), { entryId: id, author, status: 'done', blocks: 6, notify: true });
      expect((await read(id))?.source).toBe(`${edited.source}\n\nmore`);
      const archived = await collect(opened.storage.committed.entries.listArchived(id));
      expect(archived.map(({ entry }) => entry.source)).toEqual([`${edited.source}\n\nmore`, all.source]);
      expect((await edit(id, { source: 'closed' })).source).toBe('closed');
    });

    test('takes a new description with the source that was read, and does not bring back a removed block', async () => {
      const { id, versions } = await openWith(blocks);
      const { source, description } = versions[4] as Entry;
      const sent = description.replace('text\n- a first', 'New.');
      expect((await edit(id, { source, description: sent })).description).toBe(`${sent}\nlast`);
      await append(id, 6, 'more');
      expect((await edit(id, { source: '', description: `${sent}\nlast` })).source).toBe('more');
    });

    test('loses no block that is appended at the same time', async () => {
      const { id, versions } = await openWith(['Point 1']);
      const { source } = versions[1] as Entry;
      const appends = async () => {
        for (const at of [2, 3, 4, 5]) await append(id, at, `Point ${at}`);
      };
      await Promise.all([appends(), edit(id, { source: `Corrected ${source}` })]);
      expect((await read(id))?.source).toBe(
        ['Corrected text', ...[1, 2, 3, 4, 5].map((at) => `Point ${at}`)].join('\n\n'),
      );
    });
  });

  test('an append to another entry or a missing one, or a block that is too long, is refused, and nothing is stored', async () => {
    const { id } = await opened.storage.write((tx) => tx.entries.insert(entryDraft()));
    await expect(append(id, 1, 'x')).rejects.toEqual(code('run.not-a-run'));
    await expect(append(id + 1, 1, 'x')).rejects.toEqual(code('entry.not-found'));
    const run = await openRun();
    const full = { code: 'run.full', message: expect.stringContaining('which has the text with and without markup') };
    await expect(append(run, 1, 'x'.repeat(262_000), { markup: 'none' })).rejects.toMatchObject(full);
    await expect(append(run, 1, '"'.repeat(200_000), { markup: 'none' })).rejects.toMatchObject(full);
    expect((await read(run))?.run).toMatchObject({ blocks: 0 });
  });
}
