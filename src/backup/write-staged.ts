import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { BackupFolder, BackupTarget } from './backup-target.port.js';
import type { FileReference } from './file-access.port.js';

const chunkChars = 65_536;

/** Writes a file durably; returns its checksum and size. */
export async function writeStaged(
  path: string,
  content: Iterable<Buffer> | AsyncIterable<Buffer>,
): Promise<FileReference> {
  const handle = await open(path, 'w', 0o600);
  const hash = createHash('sha256');
  let size = 0;
  try {
    for await (const chunk of content) {
      hash.update(chunk);
      size += chunk.length;
      await handle.writeFile(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { checksum: hash.digest('hex'), size };
}

/**
 * Durably stores a text under a name.
 * @param lines the lines, with their line ends
 */
export async function storeLines(
  target: BackupTarget,
  folder: BackupFolder,
  name: string,
  lines: Iterable<string>,
): Promise<void> {
  const staged = join(target.stagingDir, name);
  await target.store(folder, name, staged, await writeStaged(staged, chunksOf(lines)));
  await target.flush();
}

function* chunksOf(lines: Iterable<string>): Generator<Buffer> {
  let text = '';
  for (const line of lines) {
    text += line;
    if (text.length < chunkChars) continue;
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}
