import {
  parseAttribute,
  parseCaFile,
  parseDn,
  parseDomain,
  parseFlag,
  parseGroupFilter,
  parseLdifFile,
  parsePort,
  parseText,
  parseTimeout,
  parseUrls,
  parseUserDnPattern,
  parseUserFilter,
} from './parse-values.js';

/** A key of the file that configures a user directory. */
export interface DirectoryKey<T> {
  /** Name of the key in the file. */
  readonly key: string;
  /** Additional names that are equally valid. */
  readonly aliases?: readonly string[];
  /** @throws Error that says what the text must look like */
  readonly parse: (text: string) => T;
  /** Marks a key that names a file. A relative path may be relative to the file that contains the key. */
  readonly isFile?: true;
  /** Text that is used when the key is absent or empty. */
  readonly defaultText: string;
  readonly description: string;
  /** Example values; empty where the key is not used. */
  readonly examples: { readonly openLdap: string; readonly activeDirectory: string };
  /** Marks a value that is never printed. */
  readonly secret?: true;
}

const unwritable =
  'Choose one that users cannot change themselves (many can change their mail attribute): otherwise they could sign in as each other.';

export const ldapKeys = {
  urls: directoryKey('ldap.urls', parseUrls, '', {
    description:
      'URLs of the directory servers, in order, separated by spaces or commas: ldap://host or ldaps://host (encrypted). A base DN may follow the host.',
    openLdap: 'ldaps://ldap1.example.org ldaps://ldap2.example.org',
    activeDirectory: 'ldaps://dc1.ad.example.org',
  }),
  ...connectionKeys('ldap', 'false'),
  baseDn: directoryKey('ldap.base.dn', parseDn, '', {
    description: 'Base DN of the directory; appended to the other DNs in this file that do not end with it.',
    openLdap: 'dc=example,dc=org',
    activeDirectory: 'dc=ad,dc=example,dc=org',
  }),
  ...lookupKeys('ldap', { userDnPattern: '', groupsSearchBase: '', groupsSearchPattern: '' }),
};

export const embeddedLdapKeys = {
  port: {
    ...directoryKey('embedded_ldap.port', parsePort, '8389', {
      description: 'Port of the embedded directory, which listens on the loopback address only; 0 selects a free port.',
      openLdap: '8389',
      activeDirectory: '',
    }),
    aliases: ['spring.ldap.embedded.port'],
  },
  ldifFile: {
    ...directoryKey('embedded_ldap_ldif', parseLdifFile, '', {
      description: 'LDIF file with the entries of the embedded directory. Empty: a sample directory for evaluation.',
      openLdap: '/etc/logbook/people.ldif',
      activeDirectory: '',
    }),
    aliases: ['spring.ldap.embedded.ldif'],
    isFile: true as const,
  },
  urls: directoryKey('embedded_ldap.urls', parseUrls, '', {
    description:
      'URL of the embedded directory, always on the loopback address; by default derived from the port. A base DN may follow the host.',
    openLdap: 'ldap://localhost:8389/dc=logbook,dc=example',
    activeDirectory: '',
  }),
  ...connectionKeys('embedded_ldap', 'false'),
  baseDn: {
    ...directoryKey('embedded_ldap.base.dn', parseDn, '', {
      description:
        'Base DN of the directory; appended to the other DNs in this file that do not end with it. Empty: the base DN of the URL, or else dc=logbook,dc=example.',
      openLdap: 'dc=logbook,dc=example',
      activeDirectory: '',
    }),
    aliases: ['spring.ldap.embedded.base-dn'],
  },
  ...lookupKeys('embedded_ldap', {
    userDnPattern: 'uid={0},ou=people',
    groupsSearchBase: 'ou=groups',
    groupsSearchPattern: '(|(member={0})(memberUid={1})(uniqueMember={0}))',
  }),
};

export const activeDirectoryKeys = {
  urls: directoryKey('ad.url', parseUrls, '', {
    description:
      'URLs of the domain controllers, in order, separated by spaces or commas: ldaps://host, or ldap://host, which is encrypted with StartTLS.',
    openLdap: '',
    activeDirectory: 'ldaps://dc1.ad.example.org ldaps://dc2.ad.example.org',
  }),
  domain: directoryKey('ad.domain', parseDomain, '', {
    description: 'DNS name of the domain; appended to user names without a domain.',
    openLdap: '',
    activeDirectory: 'ad.example.org',
  }),
  baseDn: directoryKey('ad.base.dn', parseDn, '', {
    description: 'Base DN for finding users and groups. Empty: derived from the domain.',
    openLdap: '',
    activeDirectory: 'dc=ad,dc=example,dc=org',
  }),
  nameAttribute: directoryKey('ad.user.name.attribute', parseAttribute, 'sAMAccountName', {
    description: `Attribute that contains the user name. ${unwritable}`,
    openLdap: '',
    activeDirectory: 'sAMAccountName',
  }),
  groupsSearchBase: directoryKey('ad.groups.search.base', parseDn, '', {
    description: 'Base DN of the groups that may be named in the configuration. Empty: the base DN.',
    openLdap: '',
    activeDirectory: 'ou=Groups',
  }),
  managerDn: directoryKey('ad.manager.dn', parseText, '', {
    description:
      'Account, by DN or as user@example.org, that looks up whether signed-in users are still members of the domain and of their groups. Empty: this is not looked up.',
    openLdap: '',
    activeDirectory: 'logbook@ad.example.org',
  }),
  managerPassword: {
    ...directoryKey('ad.manager.password', parseText, '', {
      description: 'Password of that account.',
      openLdap: '',
      activeDirectory: '…',
    }),
    secret: true as const,
  },
  ...connectionKeys('ad', 'true'),
};

/** Keys of existing files that have no effect: `authenticationProviders` or the service itself covers their purpose. */
export const ignoredKeys: readonly string[] = [
  'ldap.enabled',
  'embedded_ldap.enabled',
  'ad.enabled',
  'spring.ldap.embedded.validation.enabled',
];

function connectionKeys(prefix: string, startTls: string) {
  return {
    startTls: directoryKey(`${prefix}.starttls`, parseFlag, startTls, {
      description:
        'Whether connections to an ldap:// URL are encrypted with StartTLS. The certificate is always verified.',
      openLdap: 'true',
      activeDirectory: 'true',
    }),
    caCertificates: {
      ...directoryKey(`${prefix}.ca.file`, parseCaFile, '', {
        description: 'PEM file with the authorities (CAs) to trust. Empty: the public CAs.',
        openLdap: '/etc/logbook/ca.pem',
        activeDirectory: '/etc/logbook/ca.pem',
      }),
      isFile: true as const,
    },
    connectTimeoutMs: directoryKey(`${prefix}.connect.timeout`, parseTimeout, '5s', {
      description: 'How long connecting to a server may take, including the TLS handshake (units ms, s, m).',
      openLdap: '5s',
      activeDirectory: '5s',
    }),
    operationTimeoutMs: directoryKey(`${prefix}.operation.timeout`, parseTimeout, '5s', {
      description: 'How long a server may take for each response (units ms, s, m).',
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
        'DN of a user, with {0} for the user name. For directories with all users under one DN; tried before the search.',
      openLdap: 'uid={0},ou=people',
      activeDirectory: '',
    }),
    userSearchBase: directoryKey(`${prefix}.user.search.base`, parseDn, '', {
      description: 'Base DN of the search for users. Empty: the base DN of the directory.',
      openLdap: 'ou=people',
      activeDirectory: 'ou=Staff',
    }),
    userSearchFilter: directoryKey(`${prefix}.user.search.filter`, parseUserFilter, '', {
      description:
        'Filter that matches exactly one user, with {0} for the name that the user types. Empty: (uid={0}) if a search base is set, otherwise no search.',
      openLdap: '(uid={0})',
      activeDirectory: '(sAMAccountName={0})',
    }),
    nameAttribute: directoryKey(`${prefix}.user.name.attribute`, parseAttribute, '', {
      description: `Attribute that contains the user name, which becomes the owner of entries. ${unwritable} Empty: sAMAccountName if the pattern or the filter contains it, otherwise uid.`,
      openLdap: 'uid',
      activeDirectory: 'sAMAccountName',
    }),
    groupsSearchBase: directoryKey(`${prefix}.groups.search.base`, parseDn, defaults.groupsSearchBase, {
      description:
        'Base DN of the groups. The configuration can name groups below it by cn instead of by DN, if no other group there has that cn. Empty: the base DN of the directory.',
      openLdap: 'ou=groups',
      activeDirectory: 'ou=Groups',
    }),
    groupsSearchPattern: directoryKey(
      `${prefix}.groups.search.pattern`,
      parseGroupFilter,
      defaults.groupsSearchPattern,
      {
        description:
          'Filter that matches the groups of a user, with {0} for the DN of the user and {1} for the user name. Empty: (|(member={0})(uniqueMember={0})(memberUid={1})) if a search base for groups is set, otherwise no groups.',
        openLdap: '(|(member={0})(memberUid={1}))',
        activeDirectory: '(member:1.2.840.113556.1.4.1941:={0})',
      },
    ),
    managerDn: directoryKey(`${prefix}.manager.dn`, parseText, '', {
      description:
        'DN of the account that searches for users and groups: at each sign-in, and to check that signed-in users still have their account and groups. Empty: anonymous search.',
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
  documentation: { readonly description: string; readonly openLdap: string; readonly activeDirectory: string },
): DirectoryKey<T> {
  const { description, ...examples } = documentation;
  return { key, parse, defaultText, description, examples };
}
