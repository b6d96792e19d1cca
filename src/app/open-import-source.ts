import type { ImportSource } from '../imports/import-source.port.js';
import type { ServiceAddress } from '../integrations/logbook-service/service-connection.js';

export type ImportOrigin =
  | { readonly kind: 'service'; readonly address: ServiceAddress }
  /** An export of a logbook, or an `.eln` archive. `logbook`: logbook for the entries of an `.eln` archive. */
  | { readonly kind: 'file'; readonly file: string; readonly logbook?: string | undefined }
  /** The folder of an ELOG. `mappingFile`: mapping of its attributes; undefined for the defaults. */
  | { readonly kind: 'elog'; readonly dir: string; readonly mappingFile: string | undefined };

/**
 * Opens the source of an import.
 * @throws Fault invalid `import.source-invalid`, `import.bad-mapping`
 * @throws the reason of `signal` when it aborts
 */
export async function openImportSource(origin: ImportOrigin, signal: AbortSignal): Promise<ImportSource> {
  switch (origin.kind) {
    case 'service': {
      const { ServiceImportSource } = await import('../integrations/logbook-service/service-import-source.js');
      return new ServiceImportSource(origin.address);
    }
    case 'file':
      return openArchive(origin, signal);
    case 'elog':
      return openElog(origin);
  }
}

async function openArchive({ file, logbook }: Extract<ImportOrigin, { readonly kind: 'file' }>, signal: AbortSignal) {
  const { ZipReader } = await import('../imports/zip-reader.js');
  const zip = await ZipReader.open(file, signal);
  try {
    if (zip.has('logbook.json')) {
      const { FileImportSource } = await import('../integrations/logbook-file/file-import-source.js');
      return await FileImportSource.open(zip, signal);
    }
    const { ElnImportSource } = await import('../integrations/eln/eln-import-source.js');
    return await ElnImportSource.open(zip, logbook, signal);
  } catch (error) {
    zip.close();
    throw error;
  }
}

async function openElog({ dir, mappingFile }: Extract<ImportOrigin, { readonly kind: 'elog' }>) {
  const [{ ElogImportSource }, { readMapping }] = await Promise.all([
    import('../integrations/elog/elog-import-source.js'),
    import('../integrations/elog/elog-mapping.js'),
  ]);
  return ElogImportSource.open(dir, readMapping(mappingFile));
}

/**
 * Describes the mapping of the logbooks and attributes of an ELOG, without importing anything. Undefined for other
 * sources.
 * @throws as `openImportSource`
 */
export async function describeImport(origin: ImportOrigin, signal: AbortSignal): Promise<string[] | undefined> {
  if (origin.kind !== 'elog') return undefined;
  const source = await openElog(origin);
  return source.describe(signal);
}
