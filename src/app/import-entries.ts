import { SourceUnavailable } from '../../packages/control-system/sources.port.js';
import type { StorageOptions } from '../engines/storage-options.js';
import { DeviceNames } from '../entries/device-names.js';
import type { ImportCounts, ImportReport } from '../imports/import-report.js';
import { type Reconciliation, reconcile } from '../imports/reconcile.js';
import { type ImportDeps, runImport } from '../imports/run-import.js';
import { systemClock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import type { Log } from '../kernel/log.js';
import { untilAborted } from '../kernel/with-timeout.js';
import { CleanupStack } from './cleanup-stack.js';
import { openContents } from './open-contents.js';
import { type DirectoryOptions, openDirectoryNames } from './open-control-system.js';
import { type ImportOrigin, openImportSource } from './open-import-source.js';

export type { ImportCounts } from '../imports/import-report.js';

export interface ImportRequest {
  readonly origin: ImportOrigin;
  readonly maxFileBytes: number;
  /** Options that determine which names in entries are devices. */
  readonly controlSystem: DirectoryOptions;
  /** Number of entries whose versions and files are compared; undefined for no comparison. */
  readonly sampleSize: number | undefined;
}

/** Receives the progress of an import. Its methods are called often. */
export interface ImportProgress {
  onImport(counts: Readonly<ImportCounts>): void;
  onIndex(indexed: number, all: number): void;
  onReconcile(compared: number): void;
}

export interface ImportRun {
  readonly progress: ImportProgress;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export interface ImportResult {
  readonly source: string;
  readonly report: ImportReport;
  /** Result of the comparison; undefined when nothing was compared. */
  readonly reconciliation: Reconciliation | undefined;
}

/**
 * Imports the entries of a source into the storage, waits for the search index, and compares source and storage if that
 * is requested.
 * @throws the reason of the signal when it aborts; entries stored before remain, and the next run continues after them
 * @throws Error when a process is using the data directory
 * @throws Fault `import.…`, `storage.…`
 */
export async function importEntries(
  storageOptions: StorageOptions,
  request: ImportRequest,
  { progress, log, signal }: ImportRun,
): Promise<ImportResult> {
  const cleanup = new CleanupStack();
  const result = await cleanup.guard(async () => {
    const source = cleanup.use(await openImportSource(request.origin, signal));
    // The source and the device names are read first, because a failure must not leave a new data directory behind.
    await source.count(signal);
    const deviceNames = await openDeviceNames(request.controlSystem, signal, cleanup);
    const { storage, blobs, searchIndex } = await openContents(storageOptions, log, cleanup);
    const { maxFileBytes } = request;
    const deps = { storage, blobs, source, clock: systemClock, maxFileBytes, deviceNames };
    const report = await runImport({ ...deps, onProgress: (counts) => progress.onImport(counts) }, signal);
    if (searchIndex) {
      await untilAborted(signal, () => searchIndex.waitUntilIndexed((indexed, all) => progress.onIndex(indexed, all)));
    }
    const reconciliation = await compare(deps, request, progress, signal);
    return { source: source.name, report, reconciliation };
  });
  await cleanup.close();
  return result;
}

/** Prepares the recognition of device names. Reads the directory first, so that the first entries are complete. */
async function openDeviceNames(
  options: DirectoryOptions,
  signal: AbortSignal,
  cleanup: CleanupStack,
): Promise<DeviceNames> {
  const listed = await openDirectoryNames(options, (source) => cleanup.use(source));
  try {
    await listed?.read(signal);
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    throw new Fault('unavailable', 'import.source-unavailable', directoryUnavailable(error.message));
  }
  return new DeviceNames(options.deviceNames, listed);
}

const directoryUnavailable = (reason: string): string =>
  `The names of devices could not be read from Channel Finder: ${reason}. Nothing was imported. Try again, or set deviceNamesFromDirectory=false to import without them.`;

async function compare(
  { storage, source }: Pick<ImportDeps, 'storage' | 'source'>,
  { sampleSize }: ImportRequest,
  progress: ImportProgress,
  signal: AbortSignal,
): Promise<Reconciliation | undefined> {
  if (sampleSize === undefined) return undefined;
  return reconcile({ storage, source, sampleSize, onProgress: (compared) => progress.onReconcile(compared) }, signal);
}
