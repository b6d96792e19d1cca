import { AndFilter, type Entry, EqualityFilter, ExtensibleFilter, OrFilter } from 'ldapts';
import type {
  AuthenticationProvider,
  AuthenticationResult,
  Credentials,
} from '../../auth/authentication-provider.port.js';
import type { Log } from '../../kernel/log.js';
import { authenticateRemotely } from './authenticate-remotely.js';
import { toRefusal } from './bind-refusal.js';
import type { LdapConnection } from './ldap-connection.js';
import type { ActiveDirectoryOptions } from './ldap-options.js';
import { LdapServers } from './ldap-servers.js';
import { buffersOf, groupNames, textsOf } from './ldap-values.js';

/** LDAP_MATCHING_RULE_IN_CHAIN: includes indirect members of a group. */
const inChain = '1.2.840.113556.1.4.1941';

export function activeDirectoryProvider(options: ActiveDirectoryOptions, log: Log): AuthenticationProvider {
  const servers = new LdapServers(options, undefined, log);
  return {
    name: 'active_directory',
    isRemote: true,
    authenticate: (credentials) =>
      authenticateRemotely(credentials, log, () =>
        servers.withBindConnection((connection) => signIn(connection, options, credentials)),
      ),
    close: () => servers.close(),
  };
}

async function signIn(
  connection: LdapConnection,
  { domain, baseDn }: ActiveDirectoryOptions,
  { userName, password }: Credentials,
): Promise<AuthenticationResult> {
  const name = parseUserName(userName, domain);
  const bind = await connection.bind(name.bindName, password);
  if (!bind.accepted) return toRefusal(bind);
  const user = await findBoundUser(connection, baseDn, name);
  const [accountName] = user ? textsOf(user, 'sAMAccountName') : [];
  if (user === undefined || accountName === undefined) {
    return { kind: 'refused', reason: 'Your account is not in the domain that this service is configured for.' };
  }
  const groups = await findGroups(connection, baseDn, user);
  return { kind: 'accepted', identity: { userName: accountName, groups: groupNames(groups), roles: [] } };
}

interface ParsedUserName {
  readonly bindName: string;
  /** The attribute values by which the user's entry may be found; undefined: not by this attribute. */
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
 * Finds the entry of the user that has just bound, by its security identifier. Names are ambiguous: two domains may have
 * the same account name, and the principal name of one user may contain the account name of another.
 */
async function findBoundUser(
  connection: LdapConnection,
  baseDn: string,
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
    attributes: ['sAMAccountName', 'primaryGroupID'],
    binaryAttributes: ['objectSid'],
  });
  const [root] = await connection.search({
    base: '',
    scope: 'base',
    filter: '(objectClass=*)',
    attributes: [],
    // In the root DSE: the security identifiers of the bound user and of the user's groups.
    binaryAttributes: ['tokenGroups'],
  });
  const own = root ? buffersOf(root, 'tokenGroups') : [];
  return candidates.find((entry) => own.some((sid) => buffersOf(entry, 'objectSid')[0]?.equals(sid)));
}

function equals(attribute: string, value: string | undefined): EqualityFilter[] {
  return value === undefined ? [] : [new EqualityFilter({ attribute, value })];
}

async function findGroups(connection: LdapConnection, baseDn: string, user: Entry): Promise<Entry[]> {
  const primaryGroup = toPrimaryGroupSid(user);
  return connection.search({
    base: baseDn,
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
    attributes: ['cn'],
  });
}

/** Replaces the last four bytes of the user's security identifier with the number of the group. */
function toPrimaryGroupSid(user: Entry): Buffer | undefined {
  const [sid] = buffersOf(user, 'objectSid');
  const [groupNumber] = textsOf(user, 'primaryGroupID');
  if (sid === undefined || groupNumber === undefined) return undefined;
  const groupSid = Buffer.from(sid);
  groupSid.writeUInt32LE(Number(groupNumber), groupSid.length - 4);
  return groupSid;
}
