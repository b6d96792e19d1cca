import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const unsupported = new Set(['EINVAL', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** Makes the names in a directory durable. Without this, a power failure could lose even a synced file. */
export async function syncDirectory(dir: string): Promise<void> {
  // Windows cannot sync a directory, and writes its metadata automatically.
  if (process.platform === 'win32') return;
  const handle = await open(dir, constants.O_RDONLY);
  try {
    await handle.sync();
  } catch (error) {
    // The file system, such as some of those over a network, cannot do this, and writes names in its own way.
    if (!unsupported.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
