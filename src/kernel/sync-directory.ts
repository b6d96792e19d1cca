import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const unsupported = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Makes the names in a directory durable. Otherwise, a power failure could lose even a synced file. */
export async function syncDirectory(dir: string): Promise<void> {
  // Windows cannot sync a directory, but writes its metadata automatically.
  if (process.platform === 'win32') return;
  const handle = await open(dir, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    // Some file systems, such as certain network ones, do not support this and write names in their own way.
    if (!unsupported.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
