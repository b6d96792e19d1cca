import { AndFilter, type Entry, EqualityFilter, ExtensibleFilter, OrFilter } from 'ldapts';
import type {
  AccountState,
  AuthenticationProvider,
  AuthenticationResult,
  Credentials,
} from '../../auth/authentication-provider.port.js';
import { type DistinguishedName, normalizeDn, parseDn } from '../../kernel/distinguished-name.js';
import type { Log } from '../../kernel/log.js';
import { isClosed, statusAttributes } from './account-status.js';
import { authenticateRemotely } from './authenticate-remotely.js';
import { toRefusal } from './bind-refusal.js';
import { listGroups } from './group-names.js';
import type { LdapConnection } from './ldap-connection.js';
import type { ActiveDirectoryOptions } from './ldap-options.js';
import { LdapServers } from './ldap-servers.js';
import type { FoundUser } from './ldap-users.js';
import { buffersOf, textsOf } from './ldap-values.js';
import { recheckRemotely } from './recheck-remotely.js';
import { lookUpUser, type UserLookup } from './user-lookup.js';
import { describePerson, findUserName, personAttributes } from './user-name.js';

/** LDAP_MATCHING_RULE_IN_CHAIN: includes indirect members of a group. */
const inChain = '1.2.840.113556.1.4.1941';

export function activeDirectoryProvider(options: ActiveDirectoryOptions, log: Log): AuthenticationProvider {
  const servers = new LdapServers(options, options.manager, log);
  return {
    name: 'active_directory',
    isRemote: true,
    authenticate: (credentials) =>
      authenticateRemotely(credentials, log, () =>
        servers.withBindConnection((connection) => signIn(connection, options, credentials, log)),
      ),
    ...(options.manager && {
      recheck: (userName: string) =>
        recheckRemotely(log, () =>
          servers.withSearchConnection((connection) => recheck(connection, options, userName)),
        ),
    }),
    close: () => servers.close(),
  };
}

async function signIn(
  connection: LdapConnection,
  options: ActiveDirectoryOptions,
  { userName: typedName, password }: Credentials,
  log: Log,
): Promise<AuthenticationResult> {
  const { domain, baseDn, nameAttribute } = options;
  const name = parseUserName(typedName, domain);
  const bind = await connection.bind(name.bindName, password);
  if (!bind.accepted) return toRefusal(bind);
  const user = await findBoundUser(connection, options, name);
  const userName = user && findUserName(user, nameAttribute);
  if (user === undefined || userName === undefined) {
    log.warn(
      { baseDn, attribute: nameAttribute, dn: user?.dn },
      'sign-in refused: no entry with a user name below the base DN',
    );
    return { kind: 'refused', reason: 'Your account is not in the domain that this service is configured for.' };
  }
  if ((await lookUp(connection, options, userName)).kind === 'ambiguous') {
    log.warn(
      { dn: user.dn, attribute: nameAttribute },
      'sign-in refused: several directory entries have the user name',
    );
    return {
      kind: 'refused',
      reason: 'Several accounts of the domain have your user name, so you cannot be identified.',
    };
  }
  const person = describePerson(user, userName);
  const groups = await findGroups(connection, options, user);
  return { kind: 'accepted', identity: { userName, ...person, groups, roles: [] } };
}

async function recheck(
  connection: LdapConnection,
  options: ActiveDirectoryOptions,
  userName: string,
): Promise<AccountState> {
  const lookup = await lookUp(connection, options, userName);
  if (lookup.kind === 'absent') return { kind: 'closed' };
  if (lookup.kind !== 'found') return { kind: 'unknown' };
  if (isClosed(lookup.entry, Date.now())) return { kind: 'closed' };
  return { kind: 'open', groups: await findGroups(connection, options, lookup.entry) };
}

/** Returns the account with a user name, or the reason why there is none. */
export async function describeActiveDirectoryUser(
  connection: LdapConnection,
  options: ActiveDirectoryOptions,
  userName: string,
): Promise<FoundUser | string> {
  const lookup = await lookUp(connection, options, userName.replace(/^.*\\|@.*$/g, ''));
  if (lookup.kind === 'absent') return 'no account found';
  if (lookup.kind === 'ambiguous') return 'several accounts have this user name';
  if (lookup.kind === 'hidden') return 'the manager account may not read any users';
  const { entry } = lookup;
  return {
    dn: entry.dn,
    userName: findUserName(entry, options.nameAttribute) ?? userName,
    groups: await findGroups(connection, options, entry),
    isClosed: isClosed(entry, Date.now()),
  };
}

function lookUp(
  connection: LdapConnection,
  { baseDn, nameAttribute }: ActiveDirectoryOptions,
  userName: string,
): Promise<UserLookup> {
  const accepts = new EqualityFilter({ attribute: 'objectClass', value: 'user' });
  const attributes = [nameAttribute, 'primaryGroupID', ...statusAttributes];
  const containers = [{ base: baseDn, scope: 'sub', accepts }] as const;
  return lookUpUser(connection, containers, { nameAttribute, userName, attributes, binaryAttributes: ['objectSid'] });
}

interface ParsedUserName {
  readonly bindName: string;
  /** Values by which the user's entry may be found; undefined: not by this attribute. */
  readonly principalName: string | undefined;
  readonly accountName: string | undefined;
}

/** Parses `user@suffix`, `DOMAIN\user`, and `user`, which means a user of the configured domain. */
function parseUserName(userName: string, domain: string): ParsedUserName {
  const backslash = userName.indexOf('\\');
  if (backslash >= 0) {
    return { bindName: userName, principalName: undefined, accountName: userName.slice(backslash + 1) };
  }
  const at = userName.lastIndexOf('@');
  const principalName = at < 0 ? `${userName}@${domain}` : userName;
  const isOwnDomain = at < 0 || userName.slice(at + 1).toLowerCase() === domain.toLowerCase();
  const accountName = at < 0 ? userName : userName.slice(0, at);
  return { bindName: principalName, principalName, accountName: isOwnDomain ? accountName : undefined };
}

/**
 * Finds the entry of the user who has just bound, by its security identifier. Names are ambiguous: two domains may have
 * the same account name, and the principal name of one user may contain the account name of another.
 */
async function findBoundUser(
  connection: LdapConnection,
  { baseDn, nameAttribute }: ActiveDirectoryOptions,
  name: ParsedUserName,
): Promise<Entry | undefined> {
  const candidates = await connection.search({
    base: baseDn,
    scope: 'sub',
    filter: new AndFilter({
      filters: [
        new EqualityFilter({ attribute: 'objectClass', value: 'user' }),
        new OrFilter({
          filters: [...equals('userPrincipalName', name.principalName), ...equals('sAMAccountName', name.accountName)],
        }),
      ],
    }),
    attributes: [nameAttribute, 'primaryGroupID', ...personAttributes],
    binaryAttributes: ['objectSid'],
  });
  const [root] = await connection.search({
    base: '',
    scope: 'base',
    filter: '(objectClass=*)',
    attributes: [],
    // The root DSE lists the security identifiers of the bound user and of the user's groups.
    binaryAttributes: ['tokenGroups'],
  });
  const own = root ? buffersOf(root, 'tokenGroups') : [];
  return candidates.find((entry) => own.some((sid) => buffersOf(entry, 'objectSid')[0]?.equals(sid)));
}

function equals(attribute: string, value: string | undefined): EqualityFilter[] {
  return value === undefined ? [] : [new EqualityFilter({ attribute, value })];
}

/** Returns the DNs of the groups and, for groups in the domain of the group base, their unique `sAMAccountName`. */
async function findGroups(
  connection: LdapConnection,
  { groupBaseDn }: ActiveDirectoryOptions,
  user: Entry,
): Promise<string[]> {
  const primaryGroup = toPrimaryGroupSid(user);
  const groups = await connection.searchAll({
    base: groupBaseDn,
    scope: 'sub',
    filter: new AndFilter({
      filters: [
        new EqualityFilter({ attribute: 'objectClass', value: 'group' }),
        new OrFilter({
          filters: [
            new ExtensibleFilter({ matchType: 'member', rule: inChain, value: user.dn }),
            // The primary group does not list its members.
            ...(primaryGroup ? [new EqualityFilter({ attribute: 'objectSid', value: primaryGroup })] : []),
          ],
        }),
      ],
    }),
    attributes: ['sAMAccountName'],
  });
  const domain = domainOf(parseDn(groupBaseDn));
  const named = groups.map((group) => ({ dn: parseDn(group.dn), name: textsOf(group, 'sAMAccountName') }));
  return listGroups(
    named.map(({ dn }) => dn).filter((dn) => dn !== undefined),
    named.filter(({ dn }) => domainOf(dn) === domain).flatMap(({ name }) => name),
  );
}

/** Returns the domain of a DN, because a global catalogue also has groups of other domains. */
function domainOf(dn: DistinguishedName | undefined): string {
  return normalizeDn(dn?.filter(([part]) => part?.type === 'dc') ?? []);
}

/**
 * Returns the security identifier of the primary group: that of the user, with the number of the group in the last four
 * bytes.
 */
function toPrimaryGroupSid(user: Entry): Buffer | undefined {
  const [sid] = buffersOf(user, 'objectSid');
  const [groupNumber] = textsOf(user, 'primaryGroupID');
  if (sid === undefined || groupNumber === undefined) return undefined;
  const groupSid = Buffer.from(sid);
  groupSid.writeUInt32LE(Number(groupNumber), groupSid.length - 4);
  return groupSid;
}
