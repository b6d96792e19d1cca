import { join } from 'node:path';
import type { AuthenticationProvider } from '../auth/provider.port.js';
import type { SchemeSetting } from '../config/directories.js';
import { startEmbeddedDirectory } from '../engines/embedded-ldap/embedded-directory.js';
import { inMemoryProvider } from '../engines/in-memory/in-memory-provider.js';
import { activeDirectoryProvider } from '../engines/ldap/active-directory-provider.js';
import { ldapProvider } from '../engines/ldap/ldap-provider.js';
import { productDir } from '../kernel/product.js';

const sampleLdif = join(productDir, 'assets', 'directory', 'sample.ldif');

type Log = (message: string, error?: unknown) => void;

/**
 * The ways to sign in that the configuration names, in its order. What they need runs until they are closed.
 * @throws Error for people when one cannot be opened; a directory that does not answer is no reason
 */
export async function openProviders(schemes: readonly SchemeSetting[], log: Log): Promise<AuthenticationProvider[]> {
  const providers: AuthenticationProvider[] = [];
  try {
    for (const scheme of schemes) providers.push(await openProvider(scheme, log));
    return providers;
  } catch (error) {
    for (const provider of providers) await provider.close();
    throw error;
  }
}

async function openProvider(setting: SchemeSetting, log: Log): Promise<AuthenticationProvider> {
  switch (setting.scheme) {
    case 'inMemory':
      return inMemoryProvider;
    case 'ldap':
      return ldapProvider(setting.scheme, setting.source, log);
    case 'active_directory':
      return activeDirectoryProvider(setting.source, log);
    case 'embeddedLdap': {
      const { ldifFile = sampleLdif, port, ldap } = setting.source;
      const directory = await startEmbeddedDirectory({ ldifFile, port, log });
      const provider = ldapProvider(setting.scheme, { ...ldap, urls: [directory.url] }, log);
      const close = async () => {
        await provider.close();
        await directory.stop();
      };
      return { ...provider, close };
    }
  }
}
