import { expect, test } from 'vitest';
import { TimeSlicedQueue } from '../../src/kernel/time-slice.js';
import { EntryCache } from '../../src/notifications/live/entry-cache.js';
import { TestService } from '../fixtures/service.js';

test('an entry that was read before an edit is not returned after it; a commit of others leaves it in memory', async () => {
  const logbook = await TestService.start();
  const { id } = await logbook.create({ title: 'before' });
  const { storage } = logbook.service;
  let afterRead = async () => undefined as unknown;
  const find: typeof storage.committed.entries.find = async (of) => {
    const entry = await storage.committed.entries.find(of);
    await afterRead();
    return entry;
  };
  const cache = new EntryCache({ ...storage.committed.entries, find }, new TimeSlicedQueue());
  const stopListening = storage.onCommit(({ entryIds }) => cache.invalidate(entryIds));
  afterRead = () => logbook.post(`/logs/${id}`, { title: 'after', logbooks: [{ name: 'operations' }] });
  expect(await cache.find(id, 1)).toMatchObject({ entry: { title: 'before' } });
  afterRead = async () => undefined;
  expect(await cache.find(id, 1)).toMatchObject({ entry: { title: 'after' } });
  const kept = await cache.find(id, 1);
  await logbook.create({ title: 'other' });
  expect(await cache.find(id, 1)).toBe(kept);
  stopListening();
  await logbook.stop();
});
