import type { Credentials } from '../auth/authentication-provider.port.js';
import type { ServiceOptions } from '../config/service-options.js';
import { loadTlsIdentity } from '../http/connections/tls-identity.js';
import { ConfigurationError } from '../kernel/configuration-error.js';
import type { Log } from '../kernel/log.js';
import { CleanupStack } from './cleanup-stack.js';
import { openAuthenticationProviders } from './open-authentication-providers.js';

/** @throws ConfigurationError when the certificate cannot be used with the key; both are PEM files */
export async function tryCertificate(certificateFile: string, keyFile: string): Promise<void> {
  await loadTlsIdentity({ kind: 'pem', certificateFile, keyFile });
}

/**
 * Signs a user in with the configured providers, and describes the user.
 * @throws ConfigurationError that explains why no provider accepts the user
 */
export async function tryConfiguration({ auth }: ServiceOptions, credentials: Credentials, log: Log): Promise<string> {
  const cleanup = new CleanupStack();
  try {
    const reasons: string[] = [];
    for (const provider of await openAuthenticationProviders(auth.providers, log, cleanup)) {
      try {
        const result = await provider.authenticate(credentials);
        if (result.kind === 'accepted') {
          const { userName, groups } = result.identity;
          const names = groups.filter((group) => !group.includes('='));
          return `${provider.name} accepts ${userName}, ${names.length === 0 ? 'in no group' : `in ${names.map((name) => `“${name}”`).join(', ')}`}`;
        }
        reasons.push(
          result.kind === 'refused' ? result.reason : `${provider.name} does not accept the user and password.`,
        );
      } catch (error) {
        const { cause, message } = error as Error;
        reasons.push(cause instanceof Error ? `${message} (${cause.message})` : message);
      }
    }
    throw new ConfigurationError(
      `${credentials.userName} cannot sign in, and nothing was written. ${reasons.join(' ')} Check the directory, its DNs, the user name and the password.`,
    );
  } finally {
    await cleanup.close();
  }
}
