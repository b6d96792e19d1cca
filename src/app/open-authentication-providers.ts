import { join } from 'node:path';
import type { AuthenticationProvider } from '../auth/authentication-provider.port.js';
import { evaluationUsers } from '../auth/evaluation-users.js';
import type { EmbeddedLdapSettings } from '../config/directory/read-directory-file.js';
import type { SchemeSetting } from '../config/directory/schemes.js';
import type { Log } from '../kernel/log.js';
import { productDir } from '../kernel/product.js';
import type { CleanupStack } from './cleanup-stack.js';

const sampleLdif = join(productDir, 'assets', 'directory', 'sample.ldif');

/**
 * Opens the authentication providers, in the given order.
 * @throws Error when one cannot be opened; a directory that does not respond is not an error
 */
export async function openAuthenticationProviders(
  settings: readonly SchemeSetting[],
  log: Log,
  cleanup: CleanupStack,
): Promise<AuthenticationProvider[]> {
  const providers: AuthenticationProvider[] = [];
  for (const setting of settings) {
    providers.push(await openProvider(setting, log.child({ part: setting.scheme }), cleanup));
  }
  return providers;
}

/** Imports only the configured provider, to save start time and memory. */
async function openProvider(setting: SchemeSetting, log: Log, cleanup: CleanupStack): Promise<AuthenticationProvider> {
  switch (setting.scheme) {
    case 'inMemory':
      return evaluationUsers;
    case 'ldap': {
      const { ldapProvider } = await import('../integrations/ldap/ldap-provider.js');
      return cleanup.use(ldapProvider(setting.scheme, setting.settings, log));
    }
    case 'active_directory': {
      const { activeDirectoryProvider } = await import('../integrations/ldap/active-directory-provider.js');
      return cleanup.use(activeDirectoryProvider(setting.settings, log));
    }
    case 'embeddedLdap':
      return openEmbeddedLdap(setting.settings, log, cleanup);
  }
}

async function openEmbeddedLdap(
  settings: EmbeddedLdapSettings,
  log: Log,
  cleanup: CleanupStack,
): Promise<AuthenticationProvider> {
  const { ldapProvider } = await import('../integrations/ldap/ldap-provider.js');
  const { url } = await startEmbeddedDirectory(settings, log, cleanup);
  return cleanup.use(ldapProvider('embeddedLdap', { ...settings.ldap, urls: [url] }, log));
}

/** @throws Error when the LDIF file is not valid or the port is in use */
export async function startEmbeddedDirectory(
  { ldifFile = sampleLdif, port }: EmbeddedLdapSettings,
  log: Log,
  cleanup: CleanupStack,
): Promise<{ readonly url: string }> {
  const { startLdapServer } = await import('../../packages/ldap-server/ldap-server.js');
  const server = await startLdapServer({
    ldifFile,
    port,
    log: (message, error) => log.error({ err: error }, message),
  });
  cleanup.defer(() => server.stop());
  return server;
}
