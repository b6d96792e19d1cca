import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** Makes the names in a directory durable: a file whose name is not on the disk is lost with the power. */
export async function syncDirectory(dir: string): Promise<void> {
  // Windows does it by itself, and has no way to ask for it.
  if (process.platform === 'win32') return;
  const handle = await open(dir, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
