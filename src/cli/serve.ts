import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { startService } from '../app/start-service.js';
import type { SchemeSetting } from '../config/directory/schemes.js';
import { describeConfig, type LoadedConfig } from '../config/load-config.js';

const loopback = /^(127\.|::1$|localhost$)/;

/** Runs the service until SIGTERM or SIGINT. */
export async function serve(loaded: LoadedConfig): Promise<void> {
  const { config } = loaded;
  const logger = pino({ level: config.logLevel, base: null }, pino.destination({ fd: 2, sync: false }));
  const dataDir = resolve(config.dataDir);
  const service = await startService(loaded, dataDir, logger);
  // See main.ts.
  setFlagsFromString('--semi-space-growth-factor=2');

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    console.log(`${signal}: finishing what is in flight.`);
    await service.stop();
    logger.flush(() => process.exit(0));
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  process.on('SIGHUP', () => void service.renewCertificate());
  // After such an error nothing can be relied on; what was acknowledged is on the disk.
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'unexpected error; the process ends');
    logger.flush(() => process.exit(1));
  });

  const usesEvaluationUsers = config.authenticationProviders.includes('inMemory');
  // Behind a proxy, everybody comes from this machine.
  const reachable = !loopback.test(config.host) || config.publicUrl !== '' || config.trustedProxies.length > 0;
  if (usesEvaluationUsers && (reachable || config.oidcIssuer !== '')) {
    logger.warn(
      'THE EVALUATION USERS admin AND user CAN SIGN IN FROM OTHER HOSTS, AND EVERYBODY KNOWS THEIR PASSWORDS. Set authenticationProviders, or listen on 127.0.0.1.',
    );
  }
  if (loaded.schemes.some(isSampleDirectory) && reachable) {
    logger.warn(
      'THE USERS OF THE SAMPLE DIRECTORY CAN SIGN IN FROM OTHER HOSTS, AND EVERYBODY KNOWS THEIR PASSWORDS. Name an LDIF file of your own as embedded_ldap_ldif.',
    );
  }
  const { logGroups, logbookGroups, tagGroups, propertyGroups } = config;
  if (
    config.permissions !== 'roles' &&
    [logGroups, logbookGroups, tagGroups, propertyGroups].some((list) => list.length > 0)
  ) {
    logger.warn('GROUPS GIVE ROLES, BUT NO ROLE IS NEEDED: whoever is signed in may write. Set permissions=roles.');
  }
  logger.debug({ settings: describeConfig(loaded) }, 'configuration');
  console.log(`Logbook is ready.
  plain HTTP   ${service.addresses.http}${config.rootPath}
  TLS          ${service.addresses.https}${config.rootPath}
  pages        ${service.addresses.http}/
  data         ${dataDir}
  sign in      ${waysToSignIn(loaded)}
Ctrl-C stops it.`);
}

function isSampleDirectory(setting: SchemeSetting): boolean {
  return setting.scheme === 'embeddedLdap' && setting.source.ldifFile === undefined;
}

/** In the order in which they are tried. */
function waysToSignIn({ config, schemes }: LoadedConfig): string {
  const names = schemes.map(({ scheme }) =>
    scheme === 'inMemory' ? 'inMemory (admin / adminPass or user / userPass, for evaluation only)' : scheme,
  );
  return [...names, ...(config.oidcIssuer === '' ? [] : [`browsers at ${config.rootPath}/login/oidc`])].join(', ');
}
