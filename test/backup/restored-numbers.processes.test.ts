import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backUp, directory, embedded, restore } from '../fixtures/backups.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

let root: string;
const at = (name: string) => join(root, name);
const target = () => directory(at('backups'));

beforeEach(async () => {
  root = await makeTempDir();
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Writes some entries; returns the first id, the last one, and the last position in the change feed. */
async function write(dir: string, count: number) {
  const logbook = await TestService.start({}, dir);
  const ids: number[] = [];
  for (let number = 0; number < count; number += 1) ids.push((await logbook.create()).id);
  const position = await logbook.service.storage.committed.feed.newest();
  await logbook.stop({ keepData: true });
  return { first: ids[0] ?? 0, last: ids.at(-1) ?? 0, position };
}

test('a second restore of one backup gives neither ids nor positions that the first one has given', async () => {
  await write(at('data'), 2);
  const { takenMs } = (await backUp(embedded(at('data')), target())).manifest.header;
  const restoreAfter = (dir: string, seconds: number) =>
    restore(embedded(at(dir)), target(), { nowMs: () => takenMs + seconds * 1_000 });
  await restoreAfter('first', 3_600);
  const first = await write(at('first'), 10);
  // Ten seconds later, without a backup of the entries that were written there.
  const { highestEntryId } = await restoreAfter('second', 3_610);
  expect(highestEntryId).toBeGreaterThanOrEqual(first.last);
  const second = await write(at('second'), 1);
  expect(second.first).toBe(highestEntryId + 1);
  expect(second.position).toBeGreaterThan(first.position);
});

test('newer backups in the target say which ids and positions were given, whatever their number', async () => {
  await write(at('data'), 2);
  const { manifest } = await backUp(embedded(at('data')), target());
  const { name, takenMs } = manifest.header;
  await restore(embedded(at('first')), target());
  const first = await write(at('first'), 20);
  await backUp(embedded(at('first')), target());
  // The clock was set back in the meantime.
  const options = { backup: name, nowMs: () => takenMs };
  const { highestEntryId } = await restore(embedded(at('second')), target(), options);
  expect(highestEntryId).toBe(first.last + 1_000);
  const second = await write(at('second'), 1);
  expect(second.position).toBeGreaterThan(first.position + 1_000_000);
});
