import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Makes the names in a directory durable: otherwise a synced file may be lost in a power failure. */
export async function syncDirectory(dir: string): Promise<void> {
  // Windows cannot sync a directory, and writes its metadata by itself.
  if (process.platform === 'win32') return;
  const handle = await open(dir, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
