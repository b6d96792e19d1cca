import { existsSync } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../engines/sqlite/data-dir-lock.js';
import { documentsFile } from '../engines/sqlite/inspect-documents.js';
import { ConfigurationError } from '../kernel/configuration-error.js';

/** Files that identify a data directory. Every version of the program creates at least one of them. */
const marks = [lockFile, documentsFile, `${documentsFile}-wal`];

/** Names used by the program itself, and by file systems. Other names indicate a directory of something else. */
const ownNames =
  /^(logbook.*[.]sqlite.*|search.*[.]sqlite.*|replica.*|attachments|thumbnails|incoming|quarantine|node-name.*|entry-ids.*|backup-.*|snapshot.*|restore-.*|reserved-space.*|tls|lost[+]found|[.]snapshot|[.]zfs|[.]nfs.*)$/;

const shownNames = 3;

/**
 * Refuses a directory that contains other files and no logbook. It was probably named by mistake, and the start would
 * change its mode and mix two kinds of files.
 * @throws ConfigurationError that names some of the files; nothing was changed in that case
 */
export async function refuseForeignDirectory(dataDir: string): Promise<void> {
  if (!existsSync(dataDir) || marks.some((name) => existsSync(join(dataDir, name)))) return;
  const foreign: string[] = [];
  for await (const { name } of await opendir(dataDir)) {
    if (!ownNames.test(name)) foreign.push(name);
    if (foreign.length > shownNames) break;
  }
  if (foreign.length === 0) return;
  const names = foreign.slice(0, shownNames).join(', ');
  throw new ConfigurationError(
    `The directory ${dataDir} has other files and no logbook: ${names}${foreign.length > shownNames ? ', …' : ''}. Nothing was changed. Set dataDir to a directory that is empty or does not exist.`,
  );
}
