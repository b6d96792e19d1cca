import { AndFilter, type Entry, EqualityFilter, ExtensibleFilter, OrFilter } from 'ldapts';
import type {
  AuthenticationProvider,
  AuthenticationResult,
  Credentials,
} from '../../auth/authentication-provider.port.js';
import type { Log } from '../../kernel/log.js';
import { authenticateRemotely } from './authenticate-remotely.js';
import { refusalOf } from './bind-refusal.js';
import type { LdapConnection } from './ldap-connection.js';
import type { ConnectionSettings } from './ldap-options.js';
import { Directory } from './ldap-servers.js';
import { buffersOf, groupNames, textsOf } from './ldap-values.js';

export interface ActiveDirectorySettings extends ConnectionSettings {
  /** DNS name of the domain, which completes a name without one. */
  readonly domain: string;
  /** Under which users and groups are looked up. */
  readonly baseDn: string;
}

/** Follows memberships through other groups. */
const inChain = '1.2.840.113556.1.4.1941';

export function activeDirectoryProvider(settings: ActiveDirectorySettings, log: Log): AuthenticationProvider {
  const directory = new Directory(settings, undefined, log);
  return {
    name: 'active_directory',
    isRemote: true,
    authenticate: (credentials) =>
      authenticateRemotely(credentials, log, () =>
        directory.onOwnConnection((connection) => signIn(connection, settings, credentials)),
      ),
    close: () => directory.close(),
  };
}

async function signIn(
  connection: LdapConnection,
  { domain, baseDn }: ActiveDirectorySettings,
  { userName, password }: Credentials,
): Promise<AuthenticationResult> {
  const name = readName(userName, domain);
  const answer = await connection.bind(name.bindName, password);
  if (!answer.accepted) return refusalOf(answer);
  const user = await findBoundUser(connection, baseDn, name);
  const [accountName] = user ? textsOf(user, 'sAMAccountName') : [];
  if (user === undefined || accountName === undefined) {
    return { kind: 'refused', reason: 'Your account is not in the domain that this service knows.' };
  }
  const groups = await findGroups(connection, baseDn, user);
  return { kind: 'accepted', identity: { userName: accountName, groups: groupNames(groups), roles: [] } };
}

interface Name {
  /** What the directory is told. */
  readonly bindName: string;
  /** What the entry may have; undefined: nothing of that kind. */
  readonly principalName: string | undefined;
  readonly accountName: string | undefined;
}

/** Reads `user@suffix`, `DOMAIN\user`, and `user`, which is one of our domain. */
function readName(userName: string, domain: string): Name {
  const backslash = userName.indexOf('\\');
  if (backslash >= 0) {
    return { bindName: userName, principalName: undefined, accountName: userName.slice(backslash + 1) };
  }
  const at = userName.lastIndexOf('@');
  const principalName = at < 0 ? `${userName}@${domain}` : userName;
  const isOurs = at < 0 || userName.slice(at + 1).toLowerCase() === domain.toLowerCase();
  const accountName = at < 0 ? userName : userName.slice(0, at);
  return { bindName: principalName, principalName, accountName: isOurs ? accountName : undefined };
}

/**
 * The entry of whoever just bound. Names alone do not tell: two domains may have the same account name, and one
 * user's principal name may be made of another's account name.
 */
async function findBoundUser(connection: LdapConnection, baseDn: string, name: Name): Promise<Entry | undefined> {
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
    // Of the connection: the identifiers of its user and of the user's groups.
    binaryAttributes: ['tokenGroups'],
  });
  const own = root ? buffersOf(root, 'tokenGroups') : [];
  return candidates.find((entry) => own.some((sid) => buffersOf(entry, 'objectSid')[0]?.equals(sid)));
}

function equals(attribute: string, value: string | undefined): EqualityFilter[] {
  return value === undefined ? [] : [new EqualityFilter({ attribute, value })];
}

async function findGroups(connection: LdapConnection, baseDn: string, user: Entry): Promise<Entry[]> {
  const primaryGroup = primaryGroupSid(user);
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

/** The user's own identifier with the last number, four bytes, replaced. */
function primaryGroupSid(user: Entry): Buffer | undefined {
  const [sid] = buffersOf(user, 'objectSid');
  const [groupNumber] = textsOf(user, 'primaryGroupID');
  if (sid === undefined || groupNumber === undefined) return undefined;
  const groupSid = Buffer.from(sid);
  groupSid.writeUInt32LE(Number(groupNumber), groupSid.length - 4);
  return groupSid;
}
