import type { ImportSource } from '../imports/import-source.port.js';
import type { ServiceAddress } from '../integrations/logbook-service/service-connection.js';

/** Where entries are imported from. */
export type ImportOrigin =
  | { readonly kind: 'service'; readonly address: ServiceAddress }
  | { readonly kind: 'file'; readonly file: string };

/** @throws Fault invalid `import.source-invalid` */
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
  }
}
