import { expect, test } from 'vitest';
import { ReadAttempts } from './read-attempts.js';

const sample = { value: 1, units: undefined, precision: undefined, severity: 'NONE', atMs: 1 } as const;
const read = (...names: string[]) => new Map(names.map((name) => [name, sample] as const));
const failed = { missing: 'it fails' };
const missing = (names: readonly string[]) => new Map(names.map((name) => [name, failed] as const));
const one = ['SR:V1'];
const failures = (tried: ReadAttempts, id: string, count: number) =>
  Array.from({ length: count }, () => tried.noteFailure(id, one, one, missing(one)) !== undefined);

test('a device is given up only when others can be read', () => {
  const tried = new ReadAttempts();
  expect(failures(tried, '1', 100)).not.toContain(true);
  tried.noteRead('2', one, one, read(...one));
  expect(tried.noteFailure('1', one, one, missing(one))).toEqual(missing(one));
  expect(failures(tried, '3', 100)).not.toContain(true);
});

test('an entry that fails once among others is retried, and its failures are forgotten once it was read', () => {
  const tried = new ReadAttempts();
  failures(tried, '1', 1);
  tried.noteRead('2', one, one, read(...one));
  expect(failures(tried, '1', 18)).not.toContain(true);
  expect(tried.noteRead('1', one, one, read(...one))).toEqual(read(...one));
  expect(failures(tried, '1', 1)).toEqual([false]);
});

test.each([[['bad', 'a', 'b', 'c']], [['a', 'b', 'c', 'bad']], [['a', 'bad', 'b', 'worse', 'c']], [['bad', 'worse']]])(
  'the devices that fail are found among %s, and the others are read',
  (devices) => {
    const tried = new ReadAttempts();
    const isBad = (name: string) => ['bad', 'worse'].includes(name);
    tried.noteFailure('1', devices, devices, missing(devices));
    tried.noteRead('2', one, one, read(...one));
    for (let attempts = 1; attempts < 100; attempts++) {
      const names = tried.next('1', devices);
      const known = names.some(isBad)
        ? tried.noteFailure('1', devices, names, missing(devices))
        : tried.noteRead('1', devices, names, read(...names));
      if (!known) continue;
      expect(Object.fromEntries(known)).toEqual(
        Object.fromEntries(devices.map((name) => [name, isBad(name) ? failed : sample])),
      );
      expect(tried.next('1', devices)).toEqual(devices);
      return;
    }
    expect.unreachable('not all are known');
  },
);

test('a device that the source omits is not asked for again', () => {
  const tried = new ReadAttempts();
  const devices = ['a', 'b'];
  tried.noteFailure('1', devices, devices, missing(devices));
  expect(tried.noteRead('1', devices, ['a'], read())).toBeUndefined();
  expect(tried.next('1', devices)).toEqual(['b']);
  const known = tried.noteRead('1', devices, ['b'], read('b'));
  expect(Object.fromEntries(known ?? [])).toEqual({ a: { missing: 'it was not read' }, b: sample });
});

test('entries with the fewest failures come first, and entries that are not asked for are forgotten', () => {
  const tried = new ReadAttempts();
  failures(tried, '1', 2);
  failures(tried, '2', 1);
  const itself = (id: string) => id;
  expect(tried.inOrder(['1', '2', '3'], itself)).toEqual(['3', '2', '1']);
  tried.inOrder(['2'], itself);
  expect(tried.inOrder(['1', '2'], itself)).toEqual(['1', '2']);
});
