/** A key of the property files of an existing site, and its replacement. */
export interface ForeignKey {
  /** Name of the key. A trailing `*` stands for any text. */
  readonly key: string;
  /** Names of the settings that replace the key. Empty if the key has no purpose here. */
  readonly names: readonly string[];
  readonly note: string;
}

/** Keys that are refused. Accepted keys of existing sites are aliases of settings. */
const foreignKeys: readonly ForeignKey[] = [
  foreign('server.port', ['httpsPort'], 'The port of the TLS listener.'),
  foreign('server.http.port', ['httpPort'], 'The port of the plain HTTP listener.'),
  foreign('server.http.enable', ['httpPort'], 'Instead of false, write httpPort=off.'),
  foreign('server.address', ['host'], 'The default is 127.0.0.1, which other hosts cannot reach.'),
  foreign('server.servlet.context-path', ['rootPath'], ''),
  foreign(
    'server.ssl.key-store',
    ['tlsPkcs12File'],
    'A PKCS#12 file. Convert a JKS file with keytool -importkeystore.',
  ),
  foreign('server.ssl.key-store-password', ['tlsPkcs12Password'], ''),
  foreign('server.ssl.*', [], 'Type and alias are read from the PKCS#12 file.'),
  foreign('security.require-ssl', ['requireTlsForWrites'], ''),
  foreign('server.servlet.session.timeout', ['sessionIdleTimeout'], 'With a unit, such as 30m.'),
  foreign('spring.session.timeout', ['sessionIdleTimeout'], 'With a unit, such as 30m.'),
  foreign('cors.allowed.origins', ['corsOrigins'], ''),
  foreign('logging.level.*', ['logLevel'], 'One level for the whole service.'),
  foreign('demo_auth.*', ['authenticationProviders'], 'The provider inMemory has the evaluation users.'),
  foreign('default*', ['initialCatalogFile'], 'One JSON file has levels, logbooks, tags and properties.'),
  foreign('elasticsearch.*', [], 'The service stores and searches everything itself.'),
  foreign('mongo.*', [], 'The service stores everything itself.'),
  foreign('spring.data.*', [], 'The service stores everything itself.'),
  foreign('ldap.*', ['ldapPropertySource'], 'The keys are unchanged, in the file that the setting names.'),
  foreign(
    'embedded_ldap*',
    ['embeddedLdapPropertySource'],
    'The keys are unchanged, in the file that the setting names.',
  ),
  foreign(
    'spring.ldap.embedded.*',
    ['embeddedLdapPropertySource'],
    'The keys are unchanged, in the file that the setting names.',
  ),
  foreign('ad.*', ['activeDirectoryPropertySource'], 'The keys are unchanged, in the file that the setting names.'),
  foreign('spring.*', [], 'It configures a framework that this service does not use.'),
];

/** Returns a sentence about the replacement of a key; undefined if it is not a key of an existing site. */
export function describeForeignKey(key: string): string | undefined {
  const known = foreignKeys.find((one) =>
    one.key.endsWith('*') ? key.startsWith(one.key.slice(0, -1)) : key === one.key,
  );
  if (!known) return undefined;
  const advice = known.names.length === 0 ? 'remove it' : `use ${known.names.join(', ')}`;
  return `${advice}. ${known.note}`.trim().replace(/\.$/, '');
}

function foreign(key: string, names: readonly string[], note: string): ForeignKey {
  return { key, names, note };
}
