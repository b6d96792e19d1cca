import { expect, test } from 'vitest';
import { CleanupStack } from './cleanup-stack.js';

test('closes resources once, in the reverse order of their opening', async () => {
  const cleanup = new CleanupStack();
  const closed: string[] = [];
  cleanup.defer(() => closed.push('first'));
  cleanup.use({ close: async () => closed.push('second') });
  await cleanup.close();
  await cleanup.close();
  expect(closed).toEqual(['second', 'first']);
});

test('a resource that fails to close does not keep others open, and its error is thrown in the end', async () => {
  const cleanup = new CleanupStack();
  const closed: string[] = [];
  cleanup.defer(() => closed.push('first'));
  cleanup.defer(() => Promise.reject(new Error('stuck')));
  await expect(cleanup.close()).rejects.toThrow('stuck');
  expect(closed).toEqual(['first']);
});

test('guard closes everything when the work fails, and throws what the work threw', async () => {
  const cleanup = new CleanupStack();
  const closed: string[] = [];
  const work = async () => {
    cleanup.defer(() => closed.push('first'));
    cleanup.defer(() => Promise.reject(new Error('stuck')));
    throw new Error('failed');
  };
  await expect(cleanup.guard(work)).rejects.toThrow('failed');
  expect(closed).toEqual(['first']);
});

test('guard closes nothing when the work succeeds', async () => {
  const cleanup = new CleanupStack();
  let isClosed = false;
  const work = async () => {
    cleanup.defer(() => {
      isClosed = true;
    });
    return 'done';
  };
  expect([await cleanup.guard(work), isClosed]).toEqual(['done', false]);
});
