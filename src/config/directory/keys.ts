import {
  parseCaFile,
  parseDn,
  parseDomain,
  parseFlag,
  parseGroupFilter,
  parsePort,
  parseText,
  parseTimeout,
  parseUrls,
  parseUserDnPattern,
  parseUserFilter,
} from './parse-values.js';

/** One key of the file that describes a user directory. */
export interface DirectoryKey<T> {
  /** As it stands in the file. */
  readonly key: string;
  /** Other spellings of it. */
  readonly aliases?: readonly string[];
  /** The value that the text means. @throws Error for people when it means none */
  readonly parse: (text: string) => T;
  /** What holds when the key is absent. */
  readonly defaultText: string;
  readonly description: string;
  /** Empty where the key has no business. */
  readonly examples: { readonly openLdap: string; readonly activeDirectory: string };
  /** Never printed. */
  readonly secret?: true;
}

export const ldapKeys = {
  urls: directoryKey('ldap.urls', parseUrls, '', {
    description:
      'Addresses of the servers of the directory, separated by spaces or commas: ldap://host or ldaps://host (encrypted), with a port when it is not the usual one. They are tried in turn. A base DN may follow the address.',
    openLdap: 'ldaps://ldap1.example.org ldaps://ldap2.example.org',
    activeDirectory: 'ldaps://dc1.ad.example.org',
  }),
  ...connectionKeys('ldap', 'false'),
  baseDn: directoryKey('ldap.base.dn', parseDn, '', {
    description: 'DN under which everything is; it completes the other DNs here that do not end with it.',
    openLdap: 'dc=example,dc=org',
    activeDirectory: 'dc=ad,dc=example,dc=org',
  }),
  ...lookupKeys('ldap', { userDnPattern: '', groupsSearchBase: '', groupsSearchPattern: '' }),
};

export const embeddedLdapKeys = {
  port: {
    ...directoryKey('embedded_ldap.port', parsePort, '8389', {
      description: 'Port of the built-in directory, which listens on the loopback address alone; 0 takes a free one.',
      openLdap: '8389',
      activeDirectory: '',
    }),
    aliases: ['spring.ldap.embedded.port'],
  },
  ldifFile: directoryKey('embedded_ldap_ldif', parseText, '', {
    description: 'LDIF file with the entries of the built-in directory. Empty: a sample for trying the service out.',
    openLdap: '/etc/logbook/people.ldif',
    activeDirectory: '',
  }),
  urls: directoryKey('embedded_ldap.urls', parseUrls, '', {
    description:
      'Address of the built-in directory, always on the loopback address; it follows from the port. A base DN may follow the address.',
    openLdap: 'ldap://localhost:8389/dc=logbook,dc=example',
    activeDirectory: '',
  }),
  ...connectionKeys('embedded_ldap', 'false'),
  baseDn: directoryKey('embedded_ldap.base.dn', parseDn, '', {
    description:
      'DN under which everything is; it completes the other DNs here that do not end with it. Empty: that of the address, else dc=logbook,dc=example.',
    openLdap: 'dc=logbook,dc=example',
    activeDirectory: '',
  }),
  ...lookupKeys('embedded_ldap', {
    userDnPattern: 'uid={0},ou=people',
    groupsSearchBase: 'ou=groups',
    groupsSearchPattern: '(|(member={0})(memberUid={1})(uniqueMember={0}))',
  }),
};

export const activeDirectoryKeys = {
  urls: directoryKey('ad.url', parseUrls, '', {
    description:
      'Addresses of the domain controllers, separated by spaces or commas: ldaps://host, or ldap://host, which is encrypted by StartTLS. They are tried in turn.',
    openLdap: '',
    activeDirectory: 'ldaps://dc1.ad.example.org ldaps://dc2.ad.example.org',
  }),
  domain: directoryKey('ad.domain', parseDomain, '', {
    description: 'DNS name of the domain; it completes user names that have none.',
    openLdap: '',
    activeDirectory: 'ad.example.org',
  }),
  baseDn: directoryKey('ad.base.dn', parseDn, '', {
    description: 'DN under which users and groups are looked up. Empty: it follows from the domain.',
    openLdap: '',
    activeDirectory: 'dc=ad,dc=example,dc=org',
  }),
  ...connectionKeys('ad', 'true'),
};

function connectionKeys(prefix: string, startTls: string) {
  return {
    startTls: directoryKey(`${prefix}.starttls`, parseFlag, startTls, {
      description:
        'Whether conversations with an ldap:// address are encrypted by StartTLS. The certificate is always checked.',
      openLdap: 'true',
      activeDirectory: 'true',
    }),
    caCertificates: directoryKey(`${prefix}.ca.file`, parseCaFile, '', {
      description:
        'PEM file with the certificates of the authorities that are trusted to vouch for the servers. Empty: the public ones.',
      openLdap: '/etc/logbook/ca.pem',
      activeDirectory: '/etc/logbook/ca.pem',
    }),
    connectTimeoutMs: directoryKey(`${prefix}.connect.timeout`, parseTimeout, '5s', {
      description: 'So long a server may take until it is connected to, encryption included (units ms, s, m).',
      openLdap: '5s',
      activeDirectory: '5s',
    }),
    operationTimeoutMs: directoryKey(`${prefix}.operation.timeout`, parseTimeout, '5s', {
      description: 'So long a server may take for each answer (units ms, s, m).',
      openLdap: '5s',
      activeDirectory: '5s',
    }),
  };
}

function lookupKeys(
  prefix: string,
  defaults: { readonly userDnPattern: string; readonly groupsSearchBase: string; readonly groupsSearchPattern: string },
) {
  return {
    userDnPattern: directoryKey(`${prefix}.user.dn.pattern`, parseUserDnPattern, defaults.userDnPattern, {
      description:
        'DN of a user, with {0} for the name that was typed. For directories that keep all users in one place; tried before the search.',
      openLdap: 'uid={0},ou=people',
      activeDirectory: '',
    }),
    userSearchBase: directoryKey(`${prefix}.user.search.base`, parseDn, '', {
      description: 'DN under which users are searched for. Empty: the base DN.',
      openLdap: 'ou=people',
      activeDirectory: 'ou=Staff',
    }),
    userSearchFilter: directoryKey(`${prefix}.user.search.filter`, parseUserFilter, '', {
      description:
        'Filter that finds exactly one user, with {0} for the name that was typed. Empty: (uid={0}) when a search base is given, else no search.',
      openLdap: '(uid={0})',
      activeDirectory: '(sAMAccountName={0})',
    }),
    groupsSearchBase: directoryKey(`${prefix}.groups.search.base`, parseDn, defaults.groupsSearchBase, {
      description: 'DN under which groups are searched for. Empty: the base DN.',
      openLdap: 'ou=groups',
      activeDirectory: 'ou=Groups',
    }),
    groupsSearchPattern: directoryKey(
      `${prefix}.groups.search.pattern`,
      parseGroupFilter,
      defaults.groupsSearchPattern,
      {
        description:
          'Filter that finds the groups of a user, with {0} for the DN and {1} for the name of the user. Empty: (|(member={0})(uniqueMember={0})(memberUid={1})) when a base for groups is given, else no groups.',
        openLdap: '(|(member={0})(memberUid={1}))',
        activeDirectory: '(member:1.2.840.113556.1.4.1941:={0})',
      },
    ),
    managerDn: directoryKey(`${prefix}.manager.dn`, parseText, '', {
      description: 'DN of the account that searches. Empty: users are searched for by nobody in particular.',
      openLdap: 'cn=logbook,ou=services,dc=example,dc=org',
      activeDirectory: 'logbook@ad.example.org',
    }),
    managerPassword: {
      ...directoryKey(`${prefix}.manager.password`, parseText, '', {
        description: 'Password of that account.',
        openLdap: '…',
        activeDirectory: '…',
      }),
      secret: true as const,
    },
  };
}

function directoryKey<T>(
  key: string,
  parse: (text: string) => T,
  defaultText: string,
  told: { readonly description: string; readonly openLdap: string; readonly activeDirectory: string },
): DirectoryKey<T> {
  const { description, ...examples } = told;
  return { key, parse, defaultText, description, examples };
}
