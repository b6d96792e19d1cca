import { describe } from 'vitest';
import { ldapProvider } from '../../src/integrations/ldap/ldap-provider.js';
import { hasSlapd, Slapd, slapdBase } from '../directories/slapd.js';
import { silentLog } from '../fixtures/log.js';
import { authenticationSuite, type OpenAuthentication } from './authentication.suite.js';

describe.skipIf(!hasSlapd)('the authentication provider ldap (needs slapd)', () =>
  authenticationSuite({ name: 'ldap', open }),
);

async function open(): Promise<OpenAuthentication> {
  const slapd = await Slapd.start();
  const settings = {
    urls: [slapd.tlsUrl],
    startTls: false,
    caCertificates: slapd.certificate.ca,
    connectTimeoutMs: 60_000,
    operationTimeoutMs: 60_000,
    userDnPattern: `uid={0},ou=people,${slapdBase}`,
    nameAttribute: 'uid',
    userSearch: { base: slapdBase, filter: '(uid={0})' },
    groupSearch: undefined,
    manager: undefined,
  };
  const provider = ldapProvider('ldap', settings, silentLog);
  return {
    provider,
    user: { userName: 'admin', password: 'admin-pass' },
    async close() {
      await provider.close();
      await slapd.stop();
    },
  };
}
