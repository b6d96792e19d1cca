import type { StorageOptions } from '../engines/storage-options.js';
import type { ExportDeps } from '../exports/export-storage.js';
import { systemClock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import { CleanupStack } from './cleanup-stack.js';
import { openContents } from './open-contents.js';

type Write = (deps: ExportDeps, file: string, signal: AbortSignal) => Promise<void>;

/** How each form is written; loaded when it is used. */
const writers = {
  ndjson: async (): Promise<Write> => (await import('../exports/write-logbook-file.js')).writeLogbookFile,
  eln: async (): Promise<Write> => (await import('../exports/write-eln.js')).writeEln,
  html: async (): Promise<Write> => (await import('../exports/write-html.js')).writeHtml,
  csv: async (): Promise<Write> => (await import('../exports/write-csv.js')).writeCsv,
};

export type ExportFormat = keyof typeof writers;
export const exportFormats = Object.keys(writers) as ExportFormat[];

/**
 * Writes the whole logbook to a file; an earlier one of this name is replaced when the new one is complete.
 * @throws the reason of `signal` when it aborts; no new file remains then
 * @throws Error when a process is using the data directory
 */
export async function exportEntries(
  storageOptions: StorageOptions,
  { file, format }: { readonly file: string; readonly format: ExportFormat },
  events: Pick<ExportDeps, 'onProgress' | 'onProblem'>,
  log: Log,
  signal: AbortSignal,
): Promise<void> {
  const cleanup = new CleanupStack();
  await cleanup.guard(async () => {
    const { storage, blobs } = await openContents(storageOptions, log, cleanup);
    const { storeId } = await storage.status();
    const write = await writers[format]();
    const deps = { committed: storage.committed, blobs, storeId, nowMs: systemClock.nowMs(), ...events };
    await write(deps, file, signal);
  });
  await cleanup.close();
}
