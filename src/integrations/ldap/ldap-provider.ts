import { type Entry, FilterParser, ResultCodeError } from 'ldapts';
import type {
  AuthenticationProvider,
  AuthenticationResult,
  Credentials,
  Identity,
} from '../../auth/authentication-provider.port.js';
import type { Log } from '../../kernel/log.js';
import { authenticateRemotely } from './authenticate-remotely.js';
import { refusalOf } from './bind-refusal.js';
import { fillPattern } from './fill-pattern.js';
import type { LdapConnection } from './ldap-connection.js';
import type { ConnectionSettings } from './ldap-options.js';
import { type Account, Directory } from './ldap-servers.js';
import { firstValue, groupNames, looksLikeSameDn, textsOf } from './ldap-values.js';

export interface LdapSettings extends ConnectionSettings {
  /** Whole DN of a user with `{0}` for the name; tried before the search. One of the two is there. */
  readonly userDnPattern: string | undefined;
  /** `{0}` in the filter is the user name. */
  readonly userSearch: SubtreeSearch | undefined;
  /** `{0}` in the filter is the user's DN, `{1}` the user name. Undefined: nobody has groups. */
  readonly groupSearch: SubtreeSearch | undefined;
  /** Searches; undefined: nobody in particular searches for users, and users search for their groups. */
  readonly manager: Account | undefined;
}

export interface SubtreeSearch {
  readonly base: string;
  readonly filter: string;
}

type Bound = { readonly kind: 'bound' } | AuthenticationResult;

/** @throws Error for people when a filter is none */
export function ldapProvider(
  scheme: 'ldap' | 'embeddedLdap',
  settings: LdapSettings,
  log: Log,
): AuthenticationProvider {
  for (const search of [settings.userSearch, settings.groupSearch]) if (search) checkFilter(search.filter);
  const directory = new Directory(settings, settings.manager, log);
  const users = new LdapUsers(settings, directory, log);
  return {
    name: scheme,
    isRemote: true,
    authenticate: (credentials) => authenticateRemotely(credentials, log, () => users.authenticate(credentials)),
    close: () => directory.close(),
  };
}

class LdapUsers {
  /** Holds the one name that counts, whichever way somebody was found. */
  private readonly nameAttribute: string;

  constructor(
    private readonly settings: LdapSettings,
    private readonly directory: Directory,
    private readonly log: Log,
  ) {
    this.nameAttribute = namedAttribute(settings.userDnPattern) ?? namedAttribute(settings.userSearch?.filter) ?? 'uid';
  }

  async authenticate(credentials: Credentials): Promise<AuthenticationResult> {
    const { userDnPattern, userSearch } = this.settings;
    const triedDn = userDnPattern === undefined ? undefined : fillPattern(userDnPattern, credentials.userName);
    if (triedDn !== undefined) {
      const result = await this.signIn(triedDn, credentials, undefined);
      if (result.kind !== 'unknown') return result;
    }
    const entry = userSearch && (await this.findUser(userSearch, credentials.userName));
    // A second try with the same wrong password would count twice towards a lock.
    if (!entry || (triedDn !== undefined && looksLikeSameDn(entry.dn, triedDn))) return { kind: 'unknown' };
    return this.signIn(entry.dn, credentials, entry);
  }

  private async findUser({ base, filter }: SubtreeSearch, userName: string): Promise<Entry | undefined> {
    const entries = await this.directory.asSearcher((connection) =>
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
    const { manager } = this.settings;
    const bound = await this.directory.onOwnConnection(async (connection): Promise<Bound> => {
      const answer = await connection.bind(dn, credentials.password);
      if (!answer.accepted) return refusalOf(answer);
      if (manager) return { kind: 'bound' };
      return this.identify(connection, dn, credentials.userName, found).catch(refusedWhenRestricted);
    });
    if (bound.kind !== 'bound') return bound;
    return this.directory.asSearcher((connection) => this.identify(connection, dn, credentials.userName, found));
  }

  private async identify(
    connection: LdapConnection,
    dn: string,
    typedName: string,
    found: Entry | undefined,
  ): Promise<AuthenticationResult> {
    const entry = found ?? (await this.readEntry(connection, dn));
    const userName = (entry && this.nameOf(entry)) ?? this.nameWithoutEntry(typedName);
    const { groupSearch } = this.settings;
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
      // Whom an access rule keeps from an entry is often told that there is none.
      if (error instanceof ResultCodeError && error.code === 32) return undefined;
      throw error;
    }
  }

  /** The directory's spelling: of several values the one that names the entry. */
  private nameOf(entry: Entry): string | undefined {
    const values = textsOf(entry, this.nameAttribute).sort();
    return values.find((value) => value === firstValue(entry.dn)) ?? values[0];
  }

  /** One spelling for all that directories take for the same name, so that a person stays one owner. */
  private nameWithoutEntry(typedName: string): string {
    this.log.warn(
      { attribute: this.nameAttribute },
      'LDAP entry has no readable name attribute; using the typed name in lower case',
    );
    return typedName.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ');
  }
}

/** A directory that wants a new password first accepts the old one and then permits nothing. */
function refusedWhenRestricted(error: unknown): AuthenticationResult {
  if (!(error instanceof ResultCodeError && error.code === 50)) throw error;
  return {
    kind: 'refused',
    reason: 'The user directory accepts your password but permits nothing more; perhaps you must change it first.',
  };
}

/** The attribute that a pattern or a filter compares with the user name first. */
function namedAttribute(pattern: string | undefined): string | undefined {
  return pattern === undefined ? undefined : /([\w-]+)=[^=]*\{0\}/.exec(pattern)?.[1];
}

function checkFilter(filter: string): void {
  try {
    FilterParser.parseString(fillPattern(filter, 'cn=x', 'x'));
  } catch (error) {
    throw new Error(`the search filter “${filter}” cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
