import { join } from 'node:path';
import type { AuthenticationProvider } from '../auth/authentication-provider.port.js';
import { evaluationUsers } from '../auth/evaluation-users.js';
import type { SchemeSetting } from '../config/directory/schemes.js';
import type { Log } from '../kernel/log.js';
import { productDir } from '../kernel/product.js';

const sampleLdif = join(productDir, 'assets', 'directory', 'sample.ldif');

/**
 * The ways to sign in that the configuration names, in its order. What they need runs until they are closed.
 * @throws Error for people when one cannot be opened; a directory that does not answer is no reason
 */
export async function openAuthenticationProviders(
  schemes: readonly SchemeSetting[],
  log: Log,
): Promise<AuthenticationProvider[]> {
  const providers: AuthenticationProvider[] = [];
  try {
    for (const scheme of schemes) providers.push(await openProvider(scheme, log.child({ part: scheme.scheme })));
    return providers;
  } catch (error) {
    for (const provider of providers) await provider.close();
    throw error;
  }
}

/** What is not used is not loaded: a start takes no longer for it, and no memory. */
async function openProvider(setting: SchemeSetting, log: Log): Promise<AuthenticationProvider> {
  switch (setting.scheme) {
    case 'inMemory':
      return evaluationUsers;
    case 'ldap': {
      const { ldapProvider } = await import('../integrations/ldap/ldap-provider.js');
      return ldapProvider(setting.scheme, setting.source, log);
    }
    case 'active_directory': {
      const { activeDirectoryProvider } = await import('../integrations/ldap/active-directory-provider.js');
      return activeDirectoryProvider(setting.source, log);
    }
    case 'embeddedLdap': {
      const { ldapProvider } = await import('../integrations/ldap/ldap-provider.js');
      const { startLdapServer } = await import('../ldap-server/ldap-server.js');
      const { ldifFile = sampleLdif, port, ldap } = setting.source;
      const directory = await startLdapServer({
        ldifFile,
        port,
        log: (message, error) => log.error({ err: error }, message),
      });
      const provider = ldapProvider(setting.scheme, { ...ldap, urls: [directory.url] }, log);
      const close = async () => {
        await provider.close();
        await directory.stop();
      };
      return { ...provider, close };
    }
  }
}
