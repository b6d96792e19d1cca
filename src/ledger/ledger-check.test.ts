import { expect, test } from 'vitest';
import { entryDraft } from '../../test/fixtures/entries.js';
import { digestAnnotated, digestEntry } from './entry-digest.js';
import { LedgerCheck } from './ledger-check.js';
import type { RecordKind } from './ledger-record.js';

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

test('a version that the entry had when it joined a group is replaced, and not lost, if all else is the same', () => {
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

test('joining a group on an earlier version of the program loses nothing either, recorded later or never', () => {
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

test('a later record excuses no change of what any checkpoint covered, however many were signed since', () => {
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
