import { join } from 'node:path';
import type { BackupTarget } from './backup-target.port.js';
import { writeStaged } from './write-staged.js';

/** Marks an object as damaged, so that the next backup stores it again. The damaged object stays until then. */
export async function markDamaged(target: BackupTarget, checksum: string): Promise<void> {
  const staged = join(target.stagingDir, `${checksum}.damaged`);
  await target.store('damaged', checksum, staged, await writeStaged(staged, []));
  await target.flush();
}
