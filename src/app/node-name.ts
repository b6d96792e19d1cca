import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns the name of the node with this data directory. The name stays the same across restarts. */
export async function findNodeName(dataDir: string): Promise<string> {
  const file = join(dataDir, 'node-name');
  const recorded = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const name = recorded.trim();
  if (/^[\w-]{36}$/.test(name)) return name;
  const created = randomUUID();
  await writeFile(file, `${created}\n`, { mode: 0o600 });
  return created;
}
