import { expect, test } from 'vitest';
import { syncDirectory } from './sync-directory.js';

// The proc file system has directories and syncs none of them, like some file systems over a network.
test.skipIf(process.platform !== 'linux')('a file system that syncs no directories is accepted', async () => {
  await expect(syncDirectory('/proc')).resolves.toBeUndefined();
});

test('a directory that does not exist is an error', async () => {
  await expect(syncDirectory('/nowhere/at/all')).rejects.toMatchObject({ code: 'ENOENT' });
});
