import { DeviceNames } from '../../src/entries/device-names.js';
import type { ImportDeps } from '../../src/imports/run-import.js';
import { runImport } from '../../src/imports/run-import.js';
import { ZipReader } from '../../src/imports/zip-reader.js';
import { FileImportSource } from '../../src/integrations/logbook-file/file-import-source.js';
import { systemClock } from '../../src/kernel/clock.js';

export async function importFile(
  deps: Pick<ImportDeps, 'storage' | 'blobs'>,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const source = await FileImportSource.open(await ZipReader.open(file), new AbortController().signal);
  const deviceNames = new DeviceNames([]);
  const how = { clock: systemClock, source, maxFileBytes: 1_000_000, deviceNames, onProgress: () => undefined };
  const { counts } = await runImport({ ...deps, ...how }, signal);
  await source.close();
  if (counts.created !== counts.entries) throw new Error(`${counts.created} of ${counts.entries} entries were created`);
}
