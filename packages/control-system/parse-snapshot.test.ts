import { expect, test } from 'vitest';
import { parseSnapshot } from './parse-snapshot.js';

const none = new AbortController().signal;
const snapshotOf = (count: number, value: (at: number) => unknown) =>
  JSON.stringify({
    snapshotItems: Array.from({ length: count }, (_, at) => ({
      configPv: { pvName: `SR:${at}` },
      value: { value: value(at), time: { unixSec: 1_764_104_400, nanoSec: 0 }, alarm: { severity: 'MINOR' } },
    })),
  });

// The small one is parsed here, the large one in a thread.
test.each([3, 5_012])('%d devices are read in their order', async (count) => {
  const items = await parseSnapshot(
    snapshotOf(count, (at) => at / 2),
    none,
  );
  const saved = (at: number) => expect.objectContaining({ value: at / 2, atMs: 1_764_104_400_000, severity: 'MINOR' });
  expect(items).toHaveLength(count);
  expect(items).toEqual(Array.from({ length: count }, (_, at) => ({ name: `SR:${at}`, saved: saved(at) })));
});

test('a number that is not finite is read from a large snapshot', async () => {
  const text = snapshotOf(5_000, () => 'NAN').replaceAll('"NAN"', 'NaN');
  expect(await parseSnapshot(text, none)).toContainEqual(
    expect.objectContaining({ name: 'SR:4999', saved: expect.objectContaining({ value: Number.NaN }) }),
  );
});

test('an array that is too long is missing, and the other devices are not', async () => {
  const items = await parseSnapshot(
    snapshotOf(2, (at) => Array.from({ length: at === 0 ? 100_000 : 10_000 }, () => 1)),
    none,
  );
  expect(items).toMatchObject([
    { saved: { missing: 'its value is too large' } },
    { name: 'SR:1', saved: { atMs: 1.7641044e12 } },
  ]);
});

test.each([
  ['is incomplete', snapshotOf(5_000, () => 1).slice(0, -2)],
  ['is nested without end', '['.repeat(1_000_000)],
])('a large text that %s is refused', async (_what, text) => {
  await expect(parseSnapshot(text, none)).rejects.toThrow();
});

test('a large text other than a snapshot is reported as missing', async () => {
  expect(await parseSnapshot(JSON.stringify(['x'.repeat(200_000)]), none)).toEqual({
    missing: 'save-and-restore sent something other than a snapshot',
  });
});

test('a large snapshot that cannot be parsed does not hold up the next one', async () => {
  const text = snapshotOf(5_000, () => 1);
  const parsing = [text, text.slice(0, -2), text].map((one) => parseSnapshot(one, none));
  const outcomes = await Promise.allSettled(parsing);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
});

test('parsing ends when its signal aborts', async () => {
  const controller = new AbortController();
  const parsing = parseSnapshot(
    snapshotOf(5_000, () => 1),
    controller.signal,
  );
  controller.abort();
  await expect(parsing).rejects.toThrow('aborted');
});
