import { beforeEach, expect, test } from 'vitest';
import { recordingLog } from '../../test/fixtures/log.js';
import { type Damage, Integrity } from './integrity.js';

const damage: Damage = {
  kind: 'document',
  subject: 'entry 41',
  path: 'logbook.sqlite',
  reason: 'the stored document does not match its checksum',
  entryIds: [41],
};

let lines: string[];
let integrity: Integrity;
beforeEach(() => {
  lines = [];
  integrity = new Integrity(recordingLog(lines).log);
});
const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

test('damage is logged once, with all its details and what to do', () => {
  integrity.report(damage);
  integrity.report({ ...damage, reason: 'another reason' });
  expect(logged()).toEqual([
    expect.objectContaining({
      level: 50,
      msg: 'damaged data found',
      ...damage,
      advice: expect.stringMatching(/backup/),
    }),
  ]);
  expect(integrity.has('document', 'entry 41')).toBe(true);
  expect(Object.fromEntries(integrity.list())).toEqual({
    ...{ attachment: 0, document: 1, database: 0, 'search-index': 0, 'extracted-text': 0, change: 0 },
  });
});

test('data that are found intact are not counted, and are reported if they are damaged again', () => {
  integrity.report(damage);
  integrity.resolve('document', 'entry 41');
  integrity.resolve('document', 'entry 41');
  integrity.resolve('document', 'entry 42');
  expect(integrity.has('document', 'entry 41')).toBe(false);
  integrity.report(damage);
  expect(logged().map(({ msg }) => msg)).toEqual([
    'damaged data found',
    'damaged data are intact again',
    'damaged data found',
  ]);
});

test('the same subject of another kind is different damage', () => {
  integrity.report(damage);
  integrity.resolve('attachment', 'entry 41');
  expect(integrity.has('document', 'entry 41')).toBe(true);
});

test('beyond a thousand, damage is counted but not logged: a broken disk must not fill the log', () => {
  for (let id = 0; id < 1_100; id++) integrity.report({ ...damage, subject: `entry ${id}` });
  expect(lines).toHaveLength(1_000);
  expect(integrity.list()).toContainEqual(['document', 1_100]);
});

test('a hundred thousand reports of each kind are remembered: all files may be missing', () => {
  for (let file = 0; file < 100_100; file++) integrity.report({ ...damage, kind: 'attachment', subject: String(file) });
  integrity.report(damage);
  expect(integrity.list().slice(0, 2)).toEqual([
    ['attachment', 100_000],
    ['document', 1],
  ]);
  lines.length = 0;
  for (const file of integrity.subjects('attachment')) integrity.resolve('attachment', file);
  expect(lines).toHaveLength(1_000);
  expect(integrity.list()[0]).toEqual(['attachment', 0]);
});
