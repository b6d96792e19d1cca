import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { attachment, entryDraft } from '../../test/fixtures/entries.js';
import { digestAnnotated, digestEntry, removeSalts } from './entry-digest.js';
import { LedgerCheck } from './ledger-check.js';
import type { RecordKind } from './ledger-record.js';
import { tombstoneText } from './removal-check.js';

const id = 7;

/**
 * Checks versions of one entry against records, and returns what is said about the versions.
 * @param heads how many records each known checkpoint covers
 */
function check(
  stored: readonly number[],
  records: readonly (readonly [RecordKind, version: number])[],
  heads: readonly number[] = [],
): string[] {
  const problems: string[] = [];
  const known = heads.map((size) => ({ name: `checkpoint of ${size}`, size, root: '' }));
  const ledger = new LedgerCheck(known, (subject, what) => problems.push(`${subject}: ${what}`));
  const digests = new Map<number, string>();
  const all = new Set([...stored, ...records.map(([, version]) => version)]);
  for (const version of all) {
    const entry = { ...entryDraft({ title: `version ${version}` }), id, version };
    const { salts, digest } = digestEntry(entry, null);
    digests.set(version, digest);
    if (stored.includes(version))
      ledger.addVersion({ id, version, document: JSON.stringify(entry), salts, inReplyTo: null });
  }
  for (const [at, [kind, version]] of records.entries()) {
    const digest = digests.get(version) ?? '';
    ledger.addRecord({ sequence: at + 1, kind, entryId: id, version, subject: '', atMs: 0, digest });
  }
  ledger.finish();
  return problems.filter((problem) => problem.includes('entry'));
}

const lost = (version: number) => `the version ${version} of entry ${id}: it is recorded, but not stored`;

test('a version that an entry had before it joined a group is replaced, and not lost, if nothing else changed', () => {
  const check = (title: string) => {
    const ledger = new LedgerCheck([], (subject, what) => problems.push(`${subject}: ${what}`));
    const problems: string[] = [];
    const former = digestEntry({ ...entryDraft({ title: 'one' }), id }, null);
    const group = { name: 'Log Entry Group', owner: '', state: 'Active' as const, attributes: [] };
    const entry = { ...entryDraft({ title, properties: [group] }), id };
    const { salts, digest } = digestAnnotated(entry, null, former.salts);
    ledger.addVersion({ id, version: 2, document: JSON.stringify(entry), salts, inReplyTo: null });
    const record = { entryId: id, subject: '', atMs: 0 };
    ledger.addRecord({ ...record, sequence: 1, kind: 'created', version: 1, digest: former.digest });
    ledger.addRecord({ ...record, sequence: 2, kind: 'annotated', version: 2, digest });
    ledger.finish();
    expect(ledger.unproven).toBe(0);
    return problems;
  };
  expect(check('one')).toEqual([]);
  expect(check('other')).toEqual([lost(1)]);
});

test('joining a group in an earlier version of the program loses no version, whether recorded later or never', () => {
  expect(
    check(
      [2],
      [
        ['created', 1],
        ['recorded', 2],
      ],
    ),
  ).toEqual([]);
  expect(
    check(
      [2, 3],
      [
        ['created', 1],
        ['edited', 3],
        ['recorded', 2],
      ],
    ),
  ).toEqual([]);
  expect(
    check(
      [3],
      [
        ['created', 1],
        ['annotated', 3],
      ],
    ),
  ).toEqual([]);
});

test('a version that is missing before an edit is lost, whatever followed', () => {
  expect(
    check(
      [2],
      [
        ['created', 1],
        ['edited', 2],
      ],
    ),
  ).toEqual([lost(1)]);
  expect(
    check(
      [2, 3],
      [
        ['created', 1],
        ['edited', 2],
        ['recorded', 3],
      ],
    ),
  ).toEqual([lost(1)]);
  expect(
    check(
      [3],
      [
        ['created', 1],
        ['edited', 2],
        ['recorded', 3],
      ],
    ),
  ).toEqual([lost(1)]);
  expect(check([], [['created', 1]])).toEqual([lost(1)]);
});

test('a later record does not excuse a change of what a checkpoint covers, however many were signed since', () => {
  const records = [
    ['created', 1],
    ['recorded', 2],
  ] as const;
  const replaced = `the version 1 of entry ${id}: it was replaced after a checkpoint that covers it, by 2: nothing proves that only a group was added`;
  expect(check([2], records)).toEqual([]);
  expect(check([2], records, [2])).toEqual([]);
  expect(check([2], records, [1])).toEqual([replaced]);
  expect(check([2], records, [1, 2])).toEqual([replaced]);
  expect(check([2], records, [2, 1])).toEqual([replaced]);
});

test('two records of one version are a problem, whether it is stored or not', () => {
  const twice = [
    ['created', 1],
    ['recorded', 1],
  ] as const;
  expect(check([1], twice)).toEqual([`the version 1 of entry ${id}: it is recorded twice`]);
  expect(check([2], [...twice, ['recorded', 2]])).toEqual([lost(1)]);
  expect(
    check(
      [2],
      [
        ['created', 1],
        ['recorded', 2],
        ['recorded', 2],
      ],
    ),
  ).toEqual([`the version 2 of entry ${id}: it is recorded twice`]);
});

test('a version that cannot be read is named as such, and one with the salts of another as well', () => {
  const problemWith = (document: string, salts: string) => {
    const problems: string[] = [];
    const ledger = new LedgerCheck([], (subject, what) => problems.push(`${subject}: ${what}`));
    ledger.addVersion({ id, version: 1, document, salts, inReplyTo: null });
    return problems;
  };
  const entry = { ...entryDraft(), id, version: 1 };
  const { salts } = digestEntry(entry, null);
  const version = `the version 1 of entry ${id}`;
  expect(problemWith('{"id":', salts)).toEqual([`${version}: its stored content or its salts cannot be read`]);
  expect(problemWith(JSON.stringify(entry), `${salts}.x`)).toEqual([
    `${version}: its salts do not match its stored content`,
  ]);
});

test('entries with the highest ids are distinguished, and so are their versions', () => {
  const problems: string[] = [];
  const ledger = new LedgerCheck([], (subject, what) => problems.push(`${subject}: ${what}`));
  const highest = [2 ** 43 - 1, 2 ** 43, 2 ** 52, Number.MAX_SAFE_INTEGER];
  const versions = highest.flatMap((id) => [1, 2].map((version) => ({ id, version })));
  const records = versions.map(({ id, version }, at) => {
    const entry = { ...entryDraft({ title: `version ${version}` }), id, version };
    const { salts, digest } = digestEntry(entry, null);
    ledger.addVersion({ id, version, document: JSON.stringify(entry), salts, inReplyTo: null });
    return { sequence: at + 1, kind: 'created' as const, entryId: id, version, subject: '', atMs: 0, digest };
  });
  for (const record of records) ledger.addRecord(record);
  ledger.finish();
  expect(problems).toEqual([]);
});

test('a removed file is replaced only by the file that says who removed it', () => {
  const removal = { reason: 'A key.', by: 'admin', atMs: 0 };
  const text = tombstoneText('Removed by admin on 1970-01-01: A key.');
  const { id: fileId } = attachment();
  const tombstone = {
    ...{ id: fileId, filename: 'removed.txt', fileMetadataDescription: 'text/plain', size: text.length },
    ...{ contentType: 'text/plain', checksum: hash('sha256', text, 'hex') },
  };
  const check = (change: object) => {
    const problems: string[] = [];
    const ledger = new LedgerCheck([], (subject, what) => problems.push(`${subject}: ${what}`));
    const former = { ...entryDraft({ attachments: [attachment()] }), id, version: 1 };
    const { salts, digest } = digestEntry(former, null);
    const document = JSON.stringify({ ...former, attachments: [{ ...tombstone, ...change }] });
    const kept = removeSalts(former, salts, (place) => place === 4);
    ledger.addVersion({ id, version: 1, document, salts: kept, inReplyTo: null });
    const parts = { title: false, text: false, properties: false, attachments: [fileId] };
    ledger.addRedaction({ ...removal, entryId: id, versions: [1], parts });
    ledger.addRecord({ sequence: 1, kind: 'created', entryId: id, version: 1, subject: '', atMs: 0, digest });
    ledger.finish();
    return problems;
  };
  const other = `the version 1 of entry ${id}: the removed content was replaced by something other than the sentence that says who removed it`;
  expect(check({})).toEqual([]);
  for (const change of [
    { filename: 'a.txt' },
    { fileMetadataDescription: 'Nothing happened' },
    { contentType: 'text/html' },
    { size: text.length + 1 },
    { width: 5, height: 5 },
    { checksum: 'ab'.repeat(32) },
  ]) {
    expect(check(change)).toEqual([other]);
  }
});

test('a version to which values of devices were added is proven, unless anything else was changed', () => {
  const check = (former: [string, string][], next: [string, string][], name = 'Device Values') => {
    const ledger = new LedgerCheck([], (subject, what) => problems.push(`${subject}: ${what}`));
    const problems: string[] = [];
    const withValues = (values: [string, string][]) => {
      const attributes = values.map(([device, value]) => ({ name: device, value, state: 'Active' as const }));
      return { ...entryDraft({ properties: [{ name, owner: '', state: 'Active', attributes }] }), id };
    };
    const first = digestEntry(withValues(former), null);
    const { salts, digest } = digestAnnotated(withValues(next), null, first.salts, { former: withValues(former) });
    const document = JSON.stringify(withValues(next));
    ledger.addVersion({ id, version: 2, document, salts, inReplyTo: null });
    const record = { entryId: id, subject: '', atMs: 0 };
    ledger.addRecord({ ...record, sequence: 1, kind: 'created', version: 1, digest: first.digest });
    ledger.addRecord({ ...record, sequence: 2, kind: 'annotated', version: 2, digest });
    ledger.finish();
    return problems;
  };
  const former: [string, string][] = [
    ['SR:V1', '1'],
    ['SR:V2', 'not available: it was not read'],
    ['read', 'then, live'],
  ];
  const next = (first: string, moment = 'then, live; then, archiver'): [string, string][] => [
    ['SR:V1', first],
    ['SR:V2', '2'],
    ['SR:V3', '3'],
    ['read', moment],
  ];
  expect(check(former, next('1'))).toEqual([]);
  expect(check(former, next('2'))).toEqual([lost(1)]);
  expect(check(former, next('1', 'now, live'))).toEqual([lost(1)]);
  expect(check(former, next('1').slice(1))).toEqual([lost(1)]);
  expect(check(former, next('1'), 'resource')).toEqual([lost(1)]);
});
