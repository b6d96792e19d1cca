import { hasSamba, Samba, sambaDomain, sambaPassword } from '../test/directories/samba.js';
import { hasSlapd, Slapd, slapdBase } from '../test/directories/slapd.js';

export interface Account {
  readonly userName: string;
  readonly password: string;
}

/** A third-party directory server, started for one measurement. */
export interface RunningDirectory {
  /** Its keys in the property source of the scheme. */
  readonly properties: Readonly<Record<string, string>>;
  readonly account: Account;
  stop(): Promise<void>;
}

export interface DirectoryServer {
  readonly name: string;
  readonly scheme: 'ldap' | 'active_directory';
  /** The setting that names the property source. */
  readonly sourceVariable: string;
  /** Programs that the machine lacks to run it; empty: none. */
  readonly missing: string;
  start(): Promise<RunningDirectory>;
}

export const directoryServers: readonly DirectoryServer[] = [
  slapd('slapd', (server) => server.url),
  slapd('slapd over TLS', (server) => server.tlsUrl),
  {
    name: 'samba over TLS',
    scheme: 'active_directory',
    sourceVariable: 'LOGBOOK_ACTIVE_DIRECTORY_PROPERTY_SOURCE',
    missing: hasSamba ? '' : 'needs /usr/sbin/samba, samba-tool and root',
    async start() {
      const server = await Samba.start();
      return {
        properties: { 'ad.url': server.tlsUrl, 'ad.domain': sambaDomain, 'ad.ca.file': server.certificate.caFile },
        account: { userName: 'Jane', password: sambaPassword },
        stop: () => server.stop(),
      };
    },
  },
];

function slapd(name: string, urlOf: (server: Slapd) => string): DirectoryServer {
  return {
    name,
    scheme: 'ldap',
    sourceVariable: 'LOGBOOK_LDAP_PROPERTY_SOURCE',
    missing: hasSlapd ? '' : 'needs /usr/sbin/slapd',
    async start() {
      const server = await Slapd.start();
      return {
        properties: {
          'ldap.urls': urlOf(server),
          'ldap.ca.file': server.certificate.caFile,
          'ldap.user.dn.pattern': `uid={0},ou=people,${slapdBase}`,
          'ldap.groups.search.base': `ou=groups,${slapdBase}`,
          'ldap.groups.search.pattern': '(|(member={0})(memberUid={1}))',
        },
        account: { userName: 'Jane', password: 'jane:pass:word' },
        stop: () => server.stop(),
      };
    },
  };
}
