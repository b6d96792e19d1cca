import { type Entry, ResultCodeError } from 'ldapts';
import type { AccountState, AuthenticationResult, Credentials } from '../../auth/authentication-provider.port.js';
import { parseDn } from '../../kernel/distinguished-name.js';
import type { Log } from '../../kernel/log.js';
import { isClosed, statusAttributes } from './account-status.js';
import { toRefusal } from './bind-refusal.js';
import { fillPattern } from './fill-pattern.js';
import { identifyGroups } from './group-names.js';
import type { LdapConnection } from './ldap-connection.js';
import type { LdapOptions, SubtreeSearch } from './ldap-options.js';
import type { LdapServers } from './ldap-servers.js';
import { looksLikeSameDn } from './ldap-values.js';
import { searchBeyondLimit } from './search-beyond-limit.js';
import { acceptAnyValue, isAnyVisible, lookUpUser, type UserContainer, type UserLookup } from './user-lookup.js';
import { describePerson, findUserName, personAttributes } from './user-name.js';

/** Data of a user that a directory returns without the password. */
export interface FoundUser {
  readonly dn: string;
  readonly userName: string;
  readonly groups: readonly string[];
  readonly isClosed: boolean;
}

type Bound = { readonly kind: 'bound' } | AuthenticationResult;

export class LdapUsers {
  readonly containers: readonly UserContainer[];

  constructor(
    private readonly options: LdapOptions,
    private readonly servers: LdapServers,
    private readonly log: Log,
  ) {
    this.containers = listContainers(options);
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

  async recheck(userName: string): Promise<AccountState> {
    return this.servers.withSearchConnection(async (connection) => {
      const lookup = await this.lookUp(connection, userName);
      if (lookup.kind === 'absent') return { kind: 'closed' };
      if (lookup.kind !== 'found') return { kind: 'unknown' };
      if (isClosed(lookup.entry, Date.now())) return { kind: 'closed' };
      const groups = await this.findGroups(connection, lookup.entry.dn, userName);
      if (groups.length === 0 && !(await this.seesGroups(connection))) return { kind: 'unknown' };
      return { kind: 'open', groups };
    });
  }

  /** Returns the user who would sign in with a name, or the reason why there is none. */
  async describe(connection: LdapConnection, typedName: string): Promise<FoundUser | string> {
    const { userDnPattern, userSearch, nameAttribute } = this.options;
    const byPattern = userDnPattern && (await this.readEntry(connection, fillPattern(userDnPattern, typedName)));
    const entries = byPattern ? [byPattern] : userSearch ? await this.search(connection, userSearch, typedName) : [];
    const [entry] = entries;
    if (!entry) return 'no entry found';
    if (entries.length > 1) return `several entries match: ${entries.map(({ dn }) => dn).join('; ')}`;
    const userName = findUserName(entry, nameAttribute);
    if (userName === undefined) return `${entry.dn} has no single readable value of ${nameAttribute}`;
    const lookup = await this.lookUp(connection, userName);
    if (lookup.kind === 'ambiguous') return `several entries have the user name of ${entry.dn}`;
    const groups = await this.findGroups(connection, entry.dn, userName);
    return { dn: entry.dn, userName, groups, isClosed: lookup.kind === 'found' && isClosed(lookup.entry, Date.now()) };
  }

  private async findUser(search: SubtreeSearch, userName: string): Promise<Entry | undefined> {
    const entries = await this.servers.withSearchConnection((connection) => this.search(connection, search, userName));
    if (entries.length > 1) {
      this.log.warn(
        { base: search.base, entries: entries.map(({ dn }) => dn) },
        'sign-in refused: several directory entries match',
      );
    }
    return entries.length === 1 ? entries[0] : undefined;
  }

  private search(connection: LdapConnection, { base, filter }: SubtreeSearch, userName: string): Promise<Entry[]> {
    return connection.search({
      base,
      scope: 'sub',
      filter: fillPattern(filter, userName),
      attributes: [this.options.nameAttribute, ...personAttributes],
      maxEntries: 2,
    });
  }

  private async signIn(dn: string, credentials: Credentials, found: Entry | undefined): Promise<AuthenticationResult> {
    const { manager } = this.options;
    const bound = await this.servers.withBindConnection(async (connection): Promise<Bound> => {
      const bind = await connection.bind(dn, credentials.password);
      if (!bind.accepted) return toRefusal(bind);
      if (manager) return { kind: 'bound' };
      return this.identify(connection, dn, found).catch(refuseRestricted);
    });
    if (bound.kind !== 'bound') return bound;
    return this.servers.withSearchConnection((connection) => this.identify(connection, dn, found));
  }

  private async identify(
    connection: LdapConnection,
    dn: string,
    found: Entry | undefined,
  ): Promise<AuthenticationResult> {
    const { nameAttribute: attribute } = this.options;
    const entry = found ?? (await this.readEntry(connection, dn));
    const userName = entry && findUserName(entry, attribute);
    if (entry === undefined || userName === undefined) {
      this.log.warn({ dn: entry?.dn ?? dn, attribute }, 'sign-in refused: the entry has no single readable user name');
      return { kind: 'refused', reason: noUserName };
    }
    if (!this.isUniqueByDn && (await this.lookUp(connection, userName)).kind === 'ambiguous') {
      this.log.warn({ dn: entry.dn, attribute }, 'sign-in refused: several directory entries have the user name');
      return { kind: 'refused', reason: noUserName };
    }
    const groups = await this.findGroups(connection, entry.dn, userName);
    const person = describePerson(entry, userName);
    return { kind: 'accepted', identity: { userName, ...person, groups, roles: [] } };
  }

  /** Whether the name is part of the only possible DN of a user, so that the directory keeps it unique. */
  private get isUniqueByDn(): boolean {
    const { userDnPattern = '', userSearch, nameAttribute } = this.options;
    return userSearch === undefined && userDnPattern.toLowerCase().startsWith(`${nameAttribute.toLowerCase()}={0},`);
  }

  private lookUp(connection: LdapConnection, userName: string): Promise<UserLookup> {
    const { nameAttribute } = this.options;
    const attributes = [nameAttribute, ...statusAttributes];
    return lookUpUser(connection, this.containers, { nameAttribute, userName, attributes });
  }

  private async findGroups(connection: LdapConnection, userDn: string, userName: string): Promise<string[]> {
    const { groupSearch } = this.options;
    if (!groupSearch) return [];
    const { base } = groupSearch;
    const filter = fillPattern(groupSearch.filter, userDn, userName);
    const groups = await searchBeyondLimit(connection, { base, filter, attributes: ['cn'] });
    return identifyGroups(connection, groups, base, this.log);
  }

  /** Whether the connection sees any group with members. If not, users without groups may be members of hidden ones. */
  private async seesGroups(connection: LdapConnection): Promise<boolean> {
    const { groupSearch } = this.options;
    if (!groupSearch) return true;
    const filter = acceptAnyValue(groupSearch.filter);
    return filter !== undefined && (await isAnyVisible(connection, { base: groupSearch.base, scope: 'sub', filter }));
  }

  private async readEntry(connection: LdapConnection, dn: string): Promise<Entry | undefined> {
    try {
      const [entry] = await connection.search({
        base: dn,
        scope: 'base',
        filter: '(objectClass=*)',
        attributes: [this.options.nameAttribute, ...personAttributes],
      });
      return entry;
    } catch (error) {
      // Servers report an entry as missing when access rules hide it.
      if (error instanceof ResultCodeError && error.code === 32) return undefined;
      throw error;
    }
  }
}

const noUserName =
  'The user directory accepted your password, but did not provide your user name. Contact the administrators of the logbook.';

function listContainers({ userDnPattern, userSearch }: LdapOptions): UserContainer[] {
  const containers: UserContainer[] = [];
  const [, parent = ''] = /^(?:\\.|[^\\,])*,(.*)$/s.exec(userDnPattern ?? '') ?? [];
  if (parseDn(parent)) containers.push({ base: parent, scope: 'one', accepts: undefined });
  if (userSearch) containers.push({ base: userSearch.base, scope: 'sub', accepts: acceptAnyValue(userSearch.filter) });
  return containers;
}

/**
 * Returns the refusal for an account that must change its password: the directory accepts the old one, but denies every
 * search.
 */
function refuseRestricted(error: unknown): AuthenticationResult {
  if (!(error instanceof ResultCodeError && error.code === 50)) throw error;
  return {
    kind: 'refused',
    reason: 'The user directory accepted your password but denied access. You may have to change your password first.',
  };
}
