import type { ImportSource } from '../imports/import-source.port.js';
import type { ServiceAddress } from '../integrations/logbook-service/service-connection.js';

/** Where entries are imported from. */
export type ImportOrigin =
  | { readonly kind: 'service'; readonly address: ServiceAddress }
  | { readonly kind: 'file'; readonly file: string }
  /** The folder of an ELOG. mappingFile: what its attributes become; undefined: the defaults. */
  | { readonly kind: 'elog'; readonly dir: string; readonly mappingFile: string | undefined };

/** @throws Fault invalid `import.source-invalid`, `import.bad-mapping` */
export async function openImportSource(origin: ImportOrigin): Promise<ImportSource> {
  switch (origin.kind) {
    case 'service': {
      const { ServiceSource } = await import('../integrations/logbook-service/service-source.js');
      return new ServiceSource(origin.address);
    }
    case 'file': {
      const { FileSource } = await import('../integrations/logbook-file/file-source.js');
      return FileSource.open(origin.file);
    }
    case 'elog':
      return openElog(origin);
  }
}

async function openElog({ dir, mappingFile }: Extract<ImportOrigin, { readonly kind: 'elog' }>) {
  const [{ ElogSource }, { readMapping }] = await Promise.all([
    import('../integrations/elog/elog-source.js'),
    import('../integrations/elog/elog-mapping.js'),
  ]);
  return ElogSource.open(dir, readMapping(mappingFile));
}

/**
 * Describes what the logbooks and attributes of an ELOG become, without importing anything; undefined for other sources.
 * @throws as `openImportSource`
 */
export async function describeImport(origin: ImportOrigin, signal: AbortSignal): Promise<string[] | undefined> {
  if (origin.kind !== 'elog') return undefined;
  const source = await openElog(origin);
  return source.describe(signal);
}
