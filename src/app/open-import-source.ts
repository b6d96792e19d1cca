import type { ImportSource } from '../imports/import-source.port.js';
import type { ServiceAddress } from '../integrations/logbook-service/service-connection.js';

/** Where entries are imported from. */
export type ImportOrigin = { readonly kind: 'service'; readonly address: ServiceAddress };

export async function openImportSource(origin: ImportOrigin): Promise<ImportSource> {
  const { ServiceSource } = await import('../integrations/logbook-service/service-source.js');
  return new ServiceSource(origin.address);
}
