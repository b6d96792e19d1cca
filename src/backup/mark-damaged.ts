import { join } from 'node:path';
import type { BackupPlace } from './backup-place.port.js';
import { writeStaged } from './write-staged.js';

/** Makes the next backup store an object again that was found damaged. The damaged one stays until then. */
export async function markDamaged(place: BackupPlace, checksum: string): Promise<void> {
  const staged = join(place.stagingDir, `${checksum}.damaged`);
  await place.store('damaged', checksum, staged, await writeStaged(staged, []));
  await place.flush();
}
