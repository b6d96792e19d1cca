import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import type { Entry } from '../../src/entries/entry.js';

/** Checks the files of a data directory after its service has stopped. */
export async function checkDataDir(dataDir: string): Promise<void> {
  const DatabaseSync = await loadSqlite();
  const db = new DatabaseSync(join(dataDir, 'logbook.sqlite'));
  try {
    expect(db.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(db.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    const claims = db.prepare('SELECT id, checksum FROM attachment').all() as { id: string; checksum: string }[];
    const documents = db.prepare('SELECT document FROM entry UNION ALL SELECT document FROM archived_entry').all() as {
      document: string;
    }[];
    const shown = documents.flatMap(({ document }) => (JSON.parse(document) as Entry).attachments);
    expect(unique(claims.map((claim) => claim.id))).toEqual(unique(shown.map((attachment) => attachment.id)));
    // A submission that a crash interrupted may leave its files behind.
    const kept = new Set(await keptChecksums(dataDir));
    expect(unique(claims.map((claim) => claim.checksum)).filter((checksum) => !kept.has(checksum))).toEqual([]);
  } finally {
    db.close();
  }
  expect(await incomingFiles(dataDir)).toEqual([]);
}

/** Lists files that are being received, or were when the service ended. */
export function incomingFiles(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, 'attachments', 'incoming'));
}

async function keptChecksums(dataDir: string): Promise<string[]> {
  const files: string[] = [];
  for (const folder of await readdir(join(dataDir, 'attachments'))) {
    if (/^[0-9a-f]{2}$/.test(folder)) files.push(...(await readdir(join(dataDir, 'attachments', folder))));
  }
  return files.sort();
}

/** Removes duplicates and sorts. */
function unique(values: readonly string[]): string[] {
  return [...new Set(values)].sort();
}
