import { extname } from 'node:path';
import type { ServiceOptions } from '../config/service-options.js';
import { entryPages } from '../entries/page-address.js';
import type { ExportDeps } from '../exports/export-storage.js';
import { type ElnSigning, minisignPublicKey } from '../exports/minisign.js';
import type { ElnOptions } from '../exports/write-eln.js';
import { systemClock } from '../kernel/clock.js';
import type { Log } from '../kernel/log.js';
import { readPrivateKey } from '../kernel/signing-keys.js';
import { CleanupStack } from './cleanup-stack.js';
import { openContents } from './open-contents.js';
import { requireLogbook } from './require-logbook.js';

export type { ElnOptions } from '../exports/write-eln.js';

type Write = (deps: ExportDeps, file: string, signal: AbortSignal) => Promise<void>;

/** Writers of the export formats, loaded on first use. */
const writers = {
  ndjson: async (): Promise<Write> => (await import('../exports/write-logbook-file.js')).writeLogbookFile,
  eln: async (options: ElnOptions): Promise<Write> => {
    const { writeEln } = await import('../exports/write-eln.js');
    return (deps, file, signal) => writeEln(deps, file, options, signal);
  },
  html: async (): Promise<Write> => (await import('../exports/write-html.js')).writeHtml,
  csv: async (): Promise<Write> => (await import('../exports/write-csv.js')).writeCsv,
};

export type ExportFormat = keyof typeof writers;
export const exportFormats = Object.keys(writers) as ExportFormat[];

/** Export formats by the endings of file names, with the more specific endings first. */
const formatsByEnding: Readonly<Record<string, ExportFormat>> = {
  '.html.zip': 'html',
  '.zip': 'ndjson',
  '.ndjson': 'ndjson',
  '.eln': 'eln',
  '.html': 'html',
  '.htm': 'html',
  '.csv': 'csv',
};
export const exportEndings = Object.keys(formatsByEnding);

/**
 * Returns the format for the ending of a name, ignoring case; undefined for an unknown ending. A name without an
 * extension means `ndjson`.
 */
export function findExportFormat(file: string): ExportFormat | undefined {
  if (extname(file) === '') return 'ndjson';
  const ending = exportEndings.find((one) => file.toLowerCase().endsWith(one));
  return ending === undefined ? undefined : formatsByEnding[ending];
}

export interface ExportRequest {
  readonly file: string;
  readonly format: ExportFormat;
  readonly eln: ElnOptions;
}

export interface ExportRun extends Pick<ExportDeps, 'onProgress' | 'onProblem'> {
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Writes the whole logbook to a file. An existing file of this name is replaced only when the new one is complete.
 * @throws the reason of the signal when it aborts; no new file remains in that case
 * @throws Error when a process is using the data directory, or it contains no logbook
 */
export async function exportEntries(
  { storage: storageOptions, http }: Pick<ServiceOptions, 'storage' | 'http'>,
  { file, format, eln }: ExportRequest,
  { log, signal, ...events }: ExportRun,
): Promise<void> {
  if (storageOptions.kind === 'embedded') requireLogbook(storageOptions.dataDir);
  const cleanup = new CleanupStack();
  await cleanup.guard(async () => {
    const { storage, blobs } = await openContents(storageOptions, log, cleanup);
    const { storeId } = await storage.status();
    const write = await writers[format](eln);
    const linkOf = entryPages(http.publicUrl);
    const deps = { committed: storage.committed, blobs, storeId, nowMs: systemClock.nowMs(), linkOf, ...events };
    await write(deps, file, signal);
  });
  await cleanup.close();
}

/**
 * Returns the parameters for signing archives, with the public key in the form of minisign.
 * @throws Error when the key is not an Ed25519 key in PEM
 */
export function readElnSigning(pem: string, keysUrl: string): ElnSigning & { readonly publicKey: string } {
  const privateKey = readPrivateKey(pem);
  return { privateKey, keysUrl, publicKey: minisignPublicKey(privateKey) };
}
