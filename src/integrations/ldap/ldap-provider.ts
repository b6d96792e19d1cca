import { type Entry, FilterParser, ResultCodeError } from 'ldapts';
import type {
  AuthenticationProvider,
  AuthenticationResult,
  Credentials,
  Identity,
} from '../../auth/authentication-provider.port.js';
import type { Log } from '../../kernel/log.js';
import { authenticateRemotely } from './authenticate-remotely.js';
import { toRefusal } from './bind-refusal.js';
import { fillPattern } from './fill-pattern.js';
import type { LdapConnection } from './ldap-connection.js';
import type { LdapOptions, SubtreeSearch } from './ldap-options.js';
import { LdapServers } from './ldap-servers.js';
import { firstValue, groupNames, looksLikeSameDn, textsOf } from './ldap-values.js';

type Bound = { readonly kind: 'bound' } | AuthenticationResult;

/** @throws Error when a search filter is invalid */
export function ldapProvider(scheme: 'ldap' | 'embeddedLdap', options: LdapOptions, log: Log): AuthenticationProvider {
  for (const search of [options.userSearch, options.groupSearch]) if (search) checkFilter(search.filter);
  const servers = new LdapServers(options, options.manager, log);
  const users = new LdapUsers(options, servers, log);
  return {
    name: scheme,
    isRemote: true,
    authenticate: (credentials) => authenticateRemotely(credentials, log, () => users.authenticate(credentials)),
    close: () => servers.close(),
  };
}

class LdapUsers {
  /** The attribute with the user name, whichever way the entry was found. */
  private readonly nameAttribute: string;

  constructor(
    private readonly options: LdapOptions,
    private readonly servers: LdapServers,
    private readonly log: Log,
  ) {
    this.nameAttribute =
      findPlaceholderAttribute(options.userDnPattern) ?? findPlaceholderAttribute(options.userSearch?.filter) ?? 'uid';
  }

  async authenticate(credentials: Credentials): Promise<AuthenticationResult> {
    const { userDnPattern, userSearch } = this.options;
    const patternDn = userDnPattern === undefined ? undefined : fillPattern(userDnPattern, credentials.userName);
    if (patternDn !== undefined) {
      const result = await this.signIn(patternDn, credentials, undefined);
      if (result.kind !== 'unknown') return result;
    }
    const entry = userSearch && (await this.findUser(userSearch, credentials.userName));
    // A second bind with the same wrong password would count twice towards a lock.
    if (!entry || (patternDn !== undefined && looksLikeSameDn(entry.dn, patternDn))) return { kind: 'unknown' };
    return this.signIn(entry.dn, credentials, entry);
  }

  private async findUser({ base, filter }: SubtreeSearch, userName: string): Promise<Entry | undefined> {
    const entries = await this.servers.withSearchConnection((connection) =>
      connection.search({
        base,
        scope: 'sub',
        filter: fillPattern(filter, userName),
        attributes: [this.nameAttribute],
        maxEntries: 2,
      }),
    );
    if (entries.length > 1) this.log.warn({ base }, 'ambiguous user name: several directory entries match');
    return entries.length === 1 ? entries[0] : undefined;
  }

  private async signIn(dn: string, credentials: Credentials, found: Entry | undefined): Promise<AuthenticationResult> {
    const { manager } = this.options;
    const bound = await this.servers.withBindConnection(async (connection): Promise<Bound> => {
      const bind = await connection.bind(dn, credentials.password);
      if (!bind.accepted) return toRefusal(bind);
      if (manager) return { kind: 'bound' };
      return this.identify(connection, dn, credentials.userName, found).catch(refuseRestricted);
    });
    if (bound.kind !== 'bound') return bound;
    return this.servers.withSearchConnection((connection) =>
      this.identify(connection, dn, credentials.userName, found),
    );
  }

  private async identify(
    connection: LdapConnection,
    dn: string,
    typedName: string,
    found: Entry | undefined,
  ): Promise<AuthenticationResult> {
    const entry = found ?? (await this.readEntry(connection, dn));
    const userName = (entry && this.findUserName(entry)) ?? this.normalizeTypedName(typedName);
    const { groupSearch } = this.options;
    const groups = groupSearch
      ? await connection.search({
          base: groupSearch.base,
          scope: 'sub',
          filter: fillPattern(groupSearch.filter, entry?.dn ?? dn, userName),
          attributes: ['cn'],
        })
      : [];
    const identity: Identity = { userName, groups: groupNames(groups), roles: [] };
    return { kind: 'accepted', identity };
  }

  private async readEntry(connection: LdapConnection, dn: string): Promise<Entry | undefined> {
    try {
      const [entry] = await connection.search({
        base: dn,
        scope: 'base',
        filter: '(objectClass=*)',
        attributes: [this.nameAttribute],
      });
      return entry;
    } catch (error) {
      // Servers report an entry as missing when access rules hide it.
      if (error instanceof ResultCodeError && error.code === 32) return undefined;
      throw error;
    }
  }

  /** Returns the name as the directory spells it; of several values, the one in the entry's DN. */
  private findUserName(entry: Entry): string | undefined {
    const values = textsOf(entry, this.nameAttribute).sort();
    return values.find((value) => value === firstValue(entry.dn)) ?? values[0];
  }

  /** Normalizes spellings that directories treat as the same name, so that one user does not become several owners. */
  private normalizeTypedName(typedName: string): string {
    this.log.warn(
      { attribute: this.nameAttribute },
      'LDAP entry has no readable name attribute; using the typed name in lower case',
    );
    return typedName.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ');
  }
}

/** A directory that requires a password change accepts the old password, then denies every search. */
function refuseRestricted(error: unknown): AuthenticationResult {
  if (!(error instanceof ResultCodeError && error.code === 50)) throw error;
  return {
    kind: 'refused',
    reason: 'The user directory accepted your password but denied access. You may have to change your password first.',
  };
}

/** Finds the first attribute that a pattern or a filter compares with the user name. */
function findPlaceholderAttribute(pattern: string | undefined): string | undefined {
  return pattern === undefined ? undefined : /([\w-]+)=[^=]*\{0\}/.exec(pattern)?.[1];
}

function checkFilter(filter: string): void {
  try {
    FilterParser.parseString(fillPattern(filter, 'cn=x', 'x'));
  } catch (error) {
    throw new Error(`the search filter “${filter}” is invalid: ${(error as Error).message}`, { cause: error });
  }
}
