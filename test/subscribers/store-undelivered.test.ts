import { expect, test } from 'vitest';
import { storeUndelivered } from '../../src/notifications/subscribers/store-undelivered.js';
import { maxDeferredDeliveries } from '../../src/notifications/subscribers/subscriber-store.port.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

test('a delivery for which too many wait becomes a dead letter of the time of its last attempt', async () => {
  const opened = await sqliteEngine.open();
  const delivery = { deliveryId: 'd', recipient: 'a', changes: [], attempts: 2, reason: 'Busy.' };
  const times = { failingSinceMs: 1_000, atMs: 9_000, nextAttemptMs: 20_000 };
  const deferred = Array.from({ length: maxDeferredDeliveries + 1 }, () => ({ ...delivery, ...times }));
  await opened.storage.write((tx) => storeUndelivered(tx.subscribers, 'hook', { deferred, deadLetters: [] }));
  const [deadLetter] = await opened.storage.committed.subscribers.listDeadLetters('hook', 10);
  expect(deadLetter).toMatchObject({ deliveryId: 'd', attempts: 2, atMs: 9_000 });
  await opened.destroy();
});
