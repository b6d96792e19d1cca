import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunState } from '../../src/entries/entry.js';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import { reconcile } from '../../src/imports/reconcile.js';
import { ZipReader } from '../../src/imports/zip-reader.js';
import { FileImportSource } from '../../src/integrations/logbook-file/file-import-source.js';
import { collect } from '../fixtures/collect.js';
import { checksumOf, type ExportContent, writeExport } from '../fixtures/export-file.js';
import { ImportTarget } from '../fixtures/import-archive.js';

let destination: ImportTarget;
beforeEach(async () => {
  destination = await ImportTarget.open();
});
afterEach(() => destination.close());

/** Imports this content, and compares. */
async function bring(content: ExportContent) {
  const file = join(destination.dir, 'export.zip');
  await writeExport(file, content);
  const source = await FileImportSource.open(await ZipReader.open(file), new AbortController().signal);
  const { report, reconciliation } = await destination.bring(source);
  const problems = report.problems.map(({ kind, key, text }) => `${kind} ${key}: ${text}`);
  return { problems, differences: reconciliation.differences };
}

const write: ImportTarget['storage']['write'] = (work) => destination.storage.write(work);
const isEqual = { problems: [], differences: [] };
const active = { state: 'Active' } as const;
const inactive = { state: 'Inactive' } as const;

describe('an item of the catalogue', () => {
  const logbook = (owner: string) => ({ name: 'operations', owner, ...active });
  const level = (name: string, defaultLevel = false) => ({ name, defaultLevel });
  const findLogbook = () => destination.storage.committed.catalog.find('logbooks', 'operations');
  const findLevel = (name: string) => destination.storage.committed.catalog.find('levels', name);

  test('that was not changed here is replaced by that of the source, also one that every new logbook has', async () => {
    await write((tx) => tx.catalog.put('logbooks', logbook('admin')));
    for (const owner of ['there', 'there later']) {
      expect(await bring({ catalog: { logbooks: [logbook(owner)] } })).toEqual(isEqual);
      expect(await findLogbook()).toEqual(logbook(owner));
    }
  });

  test('that is a logbook has the devices that the source lists for it', async () => {
    for (const devices of [{ devices: ['SR:V1', 'SR:V2'] }, { devices: ['SR:V1'] }, {}]) {
      const listing = { ...logbook('there'), ...devices };
      expect(await bring({ catalog: { logbooks: [listing] } })).toEqual(isEqual);
      expect(await findLogbook()).toEqual(listing);
    }
  });

  test.each<[string, object, object, object]>([
    ['logbooks', logbook('there'), logbook('here'), logbook('there later')],
    ['tags', { name: 'operations', ...active }, { name: 'operations', ...inactive }, { name: 'operations', ...active }],
    [
      'properties',
      { ...logbook('a'), attributes: [] },
      { ...logbook('a'), attributes: [{ name: 'x', value: null, ...active }] },
      { ...logbook('b'), attributes: [] },
    ],
  ])('of the %s that was changed here stays as it is, and is named at each run', async (kind, first, here, later) => {
    await bring({ catalog: { [kind]: [first] } });
    await write((tx) => tx.catalog.put(kind as 'logbooks', here as ReturnType<typeof logbook>));
    const isChangedThere = JSON.stringify(first) !== JSON.stringify(later);
    for (let run = 1; run <= 2; run++) {
      const { problems, differences } = await bring({ catalog: { [kind]: [later] } });
      expect(differences).toEqual([{ key: 'operations', field: kind, source: later, here }]);
      expect(problems).toEqual(isChangedThere ? [expect.stringMatching(/operations.* left as it is here/)] : []);
    }
  });

  test('that is not from this source is never replaced', async () => {
    await write((tx) => tx.catalog.put('logbooks', logbook('somebody')));
    const { problems } = await bring({ catalog: { logbooks: [logbook('there')] } });
    expect(problems).toEqual([expect.stringMatching(/logbooks operations: .* left as it is here/)]);
    expect(await findLogbook()).toEqual(logbook('somebody'));
  });

  test('that only entries name, and the source lists later, is that of the source then', async () => {
    const entries = [{ entry: { id: 1, title: 'a', createdDate: 5, logbooks: [logbook('entry')] } }];
    expect((await bring({ entries })).problems).toEqual([]);
    expect(await findLogbook()).toMatchObject(inactive);
    expect(await bring({ entries, catalog: { logbooks: [logbook('there')] } })).toEqual(isEqual);
    expect(await findLogbook()).toEqual(logbook('there'));
  });

  test('that the source no longer lists becomes inactive, unless it was changed here', async () => {
    await bring({ catalog: { logbooks: [logbook('there')], tags: [{ name: 'old', ...active }] } });
    await write((tx) => tx.catalog.put('logbooks', logbook('here')));
    expect((await bring({})).problems).toEqual([]);
    expect(await findLogbook()).toEqual(logbook('here'));
    expect(await destination.storage.committed.catalog.find('tags', 'old')).toMatchObject(inactive);
    expect(await bring({ catalog: { tags: [{ name: 'old', ...active }] } })).toMatchObject(isEqual);
  });

  test('a level that was made the default here stays it when the source has another one', async () => {
    await bring({ catalog: { levels: [level('A', true), level('B')] } });
    await write(async (tx) => {
      await tx.catalog.put('levels', level('A'));
      await tx.catalog.put('levels', level('here', true));
    });
    const { problems } = await bring({ catalog: { levels: [level('A'), level('B', true), level('C')] } });
    expect(problems).toEqual([expect.stringMatching(/levels B: .*“here” was made the default here/)]);
    expect(await findLevel('here')).toEqual(level('here', true));
    expect(await findLevel('B')).toEqual(level('B'));
    expect(await findLevel('C')).toEqual(level('C'));
  });

  test('the default level follows the source when none was chosen here', async () => {
    await bring({ catalog: { levels: [level('A', true), level('B')] } });
    expect(await bring({ catalog: { levels: [level('A'), level('B', true)] } })).toEqual(isEqual);
    expect([await findLevel('A'), await findLevel('B')]).toEqual([level('A'), level('B', true)]);
  });
});

test('a run that grows at the source grows here, also if it counts as abandoned, and closing it archives one version', async () => {
  const run = (source: string, status: string, blocks: number, more = {}) => ({
    ...{ id: 1, title: 'Scan', owner: 'alice', createdDate: 5, source, version: 1, ...more },
    run: { status, blocks, changedDate: 5 + blocks },
  });
  const { entries } = destination.storage.committed;
  const abandon = () =>
    write(async (tx) => {
      const stored = (await tx.entries.find(1)) as StoredEntry;
      const run: RunState = { ...(stored.entry.run as RunState), status: 'abandoned' };
      await tx.entries.annotate({ ...stored.entry, run }, stored);
    });
  for (const [source, blocks] of [
    ['one', 1],
    ['one\n\ntwo', 2],
    ['one\n\ntwo\n\nthree', 3],
  ] as const) {
    expect(await bring({ entries: [{ entry: run(source, 'running', blocks) }] })).toEqual(isEqual);
    expect((await entries.find(1))?.entry).toMatchObject({ source, run: { status: 'running', blocks }, version: 1 });
    await abandon();
    expect(await bring({ entries: [{ entry: run(source, 'running', blocks) }] })).toEqual(isEqual);
  }
  const last = run('one\n\ntwo\n\nthree\n\nfour', 'running', 4);
  const closed = { ...last, modifyDate: 9, modifiedBy: 'alice', version: 2, run: { ...last.run, status: 'done' } };
  expect(await bring({ entries: [{ entry: closed, archived: [last] }] })).toEqual(isEqual);
  expect((await entries.find(1))?.entry).toMatchObject({ run: { status: 'done', blocks: 4 }, version: 2 });
  expect(await collect(entries.listArchived(1))).toHaveLength(1);
});

test('a run to which blocks were appended both here and at the source is left as it is here', async () => {
  const run = (source: string, blocks: number) => ({
    ...{ id: 1, title: 'Scan', owner: 'alice', createdDate: 5, source, version: 1 },
    run: { status: 'running', blocks, changedDate: 5 + blocks },
  });
  await bring({ entries: [{ entry: run('one', 1) }] });
  await write(async (tx) => {
    const stored = (await tx.entries.find(1)) as StoredEntry;
    const run: RunState = { ...(stored.entry.run as RunState), blocks: 2 };
    const next = { source: 'one\n\nhere', description: 'one\nhere', run };
    await tx.entries.annotate({ ...stored.entry, ...next }, stored);
  });
  const { problems } = await bring({ entries: [{ entry: run('one\n\nthere', 2) }] });
  expect(problems).toEqual([expect.stringMatching(/left as it is here/)]);
});

describe('the comparison names', () => {
  const file = (id: string, content: string) => ({
    id,
    filename: `${id}.txt`,
    size: content.length,
    checksum: checksumOf(content),
  });
  const version = (title: string, more = {}) => ({ title, owner: 'alice', createdDate: 5, source: 's', ...more });
  const edited = { ...version('second'), modifyDate: 9, modifiedBy: 'bob' };
  const content: ExportContent = {
    templates: [{ id: 't', name: 'Shift', title: 'Shift of', createdDate: 5 }],
    entries: [
      { entry: { id: 1, ...version('parent') } },
      {
        entry: { id: 2, ...edited, ownerName: 'Alice A.', attachments: [file('new', 'new bytes')] },
        archived: [{ id: 2, ...version('first', { attachments: [file('old', 'old bytes')] }) }],
        inReplyTo: 1,
      },
    ],
    files: ['new bytes', 'old bytes'],
  };
  beforeEach(async () => {
    expect(await bring(content)).toEqual(isEqual);
  });

  /** Compares with another content, which is not imported. */
  async function compareWith(change: (content: ExportContent) => void) {
    const other = structuredClone(content);
    change(other);
    const path = join(destination.dir, 'other.zip');
    await writeExport(path, other);
    const source = await FileImportSource.open(await ZipReader.open(path), new AbortController().signal);
    const deps = { storage: destination.storage, source, sampleSize: 100, onProgress: () => undefined };
    const { differences } = await reconcile(deps, new AbortController().signal);
    await source.close();
    return differences.map(({ key, field }) => `${key}: ${field}`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: any place in the content is changed
  test.each<[string, (content: any) => void, string[]]>([
    ['a template', ({ templates }) => (templates[0].title = 'x'), ['t: template']],
    ['a template that is missing', ({ templates }) => (templates[0].id = 'u'), ['u: template']],
    ['the name of an owner', ({ entries }) => (entries[1].entry.ownerName = 'A. Alice'), ['2: ownerName']],
    ['what an entry replies to', ({ entries }) => (entries[0].inReplyTo = 2), ['1: inReplyTo']],
    ['a field of an earlier version', ({ entries }) => (entries[1].archived[0].title = 'x'), [version1('title')]],
    [
      'a file of an earlier version',
      ({ entries }) => (entries[1].archived[0].attachments = []),
      [version1('attachments')],
    ],
    [
      'an earlier version that is missing',
      ({ entries }) => entries[1].archived.push({ ...entries[1].archived[0], modifyDate: 7 }),
      ['2: earlier version 2: version'],
    ],
  ])('%s', async (_name, change, expected) => {
    expect(await compareWith(change)).toEqual(expected);
  });

  test('bytes of a file of an earlier version', async () => {
    expect(
      // biome-ignore lint/suspicious/noExplicitAny: see above
      await compareWith(({ entries }: any) => {
        Object.assign(entries[1].archived[0].attachments[0], file('old', 'new bytes'));
      }),
    ).toEqual([version1('checksum of old.txt'), '2: bytes of the file old.txt']);
  });
});

function version1(field: string): string {
  return `2: earlier version 1: ${field}`;
}
