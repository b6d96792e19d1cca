import { expect, test } from 'vitest';
import { TimeSlicedQueue } from '../../src/kernel/time-sliced-queue.js';
import { EntryCache } from '../../src/notifications/live/entry-cache.js';
import { TestService } from '../fixtures/service.js';

test('what was read before an edit is not told after it', async () => {
  const logbook = await TestService.start();
  const { id } = await logbook.create({ title: 'before' });
  const { storage } = logbook.service;
  let afterRead = async () => undefined as unknown;
  const find: typeof storage.committed.entries.find = async (of) => {
    const entry = await storage.committed.entries.find(of);
    await afterRead();
    return entry;
  };
  const current = new EntryCache({ ...storage.committed.entries, find }, new TimeSlicedQueue());
  const forget = storage.onCommit(() => current.forget());
  afterRead = () => logbook.post(`/logs/${id}`, { title: 'after', logbooks: [{ name: 'operations' }] });
  expect((await current.find(id, 1))?.entry.title).toBe('before');
  afterRead = async () => undefined;
  expect((await current.find(id, 1))?.entry.title).toBe('after');
  forget();
  await logbook.stop();
});
