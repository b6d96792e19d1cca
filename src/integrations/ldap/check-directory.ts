import { ResultCodeError } from 'ldapts';
import type { Finding } from '../../kernel/finding.js';
import type { Log } from '../../kernel/log.js';
import { describeActiveDirectoryUser } from './active-directory-provider.js';
import { describeError } from './describe-error.js';
import { LdapConnection } from './ldap-connection.js';
import type { ActiveDirectoryOptions, LdapConnectionOptions, LdapOptions, ServiceAccount } from './ldap-options.js';
import { LdapServers } from './ldap-servers.js';
import { type FoundUser, LdapUsers } from './ldap-users.js';
import { describeMissingBase, describeMissingPart, referralCode } from './referrals.js';
import { isAnyVisible } from './user-lookup.js';

/** Maximum number of parts on other servers that are listed. */
const maxMissingParts = 20;

export interface DirectoryCheck {
  readonly findings: readonly Finding[];
  /** The requested user; undefined if none was requested, or if none was found, which the findings report. */
  readonly user: FoundUser | undefined;
}

/**
 * Connects to each server, and searches for the bases and for a user as a sign-in does, but without a password.
 * @param typedName name as the user would type it; undefined: only the servers are checked
 */
export async function checkLdap(
  options: LdapOptions,
  typedName: string | undefined,
  log: Log,
): Promise<DirectoryCheck> {
  const servers = new LdapServers(options, options.manager, log);
  try {
    const users = new LdapUsers(options, servers, log);
    const bases = [
      ...users.containers.map(({ base }) => ({ kind: 'user base', base })),
      ...(options.groupSearch ? [{ kind: 'group base', base: options.groupSearch.base }] : []),
    ];
    const describeUser = (connection: LdapConnection, name: string) => users.describe(connection, name);
    return await checkServers(options, { manager: options.manager, bases, typedName, describeUser });
  } finally {
    await servers.close();
  }
}

/** Checks as `checkLdap` does. Without a manager, only the connections are checked. */
export async function checkActiveDirectory(
  options: ActiveDirectoryOptions,
  typedName: string | undefined,
): Promise<DirectoryCheck> {
  const { manager, baseDn, groupBaseDn } = options;
  const bases = [
    { kind: 'base', base: baseDn },
    { kind: 'group base', base: groupBaseDn },
  ];
  if (manager) {
    const describeUser = (connection: LdapConnection, name: string) =>
      describeActiveDirectoryUser(connection, options, name);
    return checkServers(options, { manager, bases, typedName, describeUser });
  }
  const connectionsOnly = { manager: undefined, bases: [], typedName: undefined, describeUser: async () => '' };
  const { findings } = await checkServers(options, connectionsOnly);
  const text = 'no ad.manager.dn is configured, so bases and users cannot be looked up';
  return { findings: [...findings, { isProblem: typedName !== undefined, text }], user: undefined };
}

interface ServerCheck {
  readonly manager: ServiceAccount | undefined;
  readonly bases: readonly { readonly kind: string; readonly base: string }[];
  /** The user to look up; undefined: none. */
  readonly typedName: string | undefined;
  describeUser(connection: LdapConnection, typedName: string): Promise<FoundUser | string>;
}

async function checkServers(
  options: LdapConnectionOptions,
  { manager, bases, typedName, describeUser }: ServerCheck,
): Promise<DirectoryCheck> {
  const findings: Finding[] = [];
  let user: FoundUser | undefined;
  let hasLookedUp = false;
  for (const url of options.urls) {
    await withServer(url, options, findings, async (connection) => {
      await bind(connection, manager);
      findings.push({
        isProblem: false,
        text: `${url} accepts ${manager ? `a bind as ${manager.dn}` : 'the connection'}`,
      });
      for (const { kind, base } of bases) findings.push(await checkBase(connection, url, kind, base));
      if (typedName === undefined || hasLookedUp) return;
      const described = await describeUser(connection, typedName);
      hasLookedUp = true;
      if (typeof described === 'string') findings.push({ isProblem: true, text: `user ${typedName}: ${described}` });
      else user = described;
    });
  }
  return { findings, user };
}

async function withServer(
  url: string,
  options: LdapConnectionOptions,
  findings: Finding[],
  work: (connection: LdapConnection) => Promise<void>,
): Promise<void> {
  let connection: LdapConnection | undefined;
  try {
    const missing = new Set<string>();
    connection = await LdapConnection.open(url, options, (referral) => {
      const text = describeMissingPart(referral);
      if (text !== undefined && missing.size < maxMissingParts) missing.add(text);
    });
    await work(connection);
    for (const text of missing) findings.push({ isProblem: false, text: `${url} ${text}` });
  } catch (error) {
    const { result } = describeError(error);
    findings.push({
      isProblem: true,
      text: `${url}: ${rootMessage(error)}${result === undefined ? '' : ` (${result})`}`,
    });
  } finally {
    await connection?.close();
  }
}

async function bind(connection: LdapConnection, manager: ServiceAccount | undefined): Promise<void> {
  if (!manager) return;
  const bound = await connection.bind(manager.dn, manager.password);
  if (!bound.accepted) throw new Error(`the account ${manager.dn} is refused with result code ${bound.code}`);
}

async function checkBase(connection: LdapConnection, url: string, kind: string, base: string): Promise<Finding> {
  const toFinding = (isProblem: boolean, state: string) => ({
    isProblem,
    text: `${url}: the ${kind} ${base} ${state}`,
  });
  try {
    const isVisible = await isAnyVisible(connection, { base, scope: 'base', filter: '(objectClass=*)' });
    if (!isVisible) return toFinding(true, 'does not exist, or may not be read by this account');
    // Matches nothing, but makes the server name the parts of the directory that it does not have.
    await isAnyVisible(connection, { base, scope: 'sub', filter: '(cn=logbook-check-of-referrals)' });
    return toFinding(false, 'exists');
  } catch (error) {
    if (error instanceof ResultCodeError && error.code === referralCode) return toFinding(true, describeMissingBase());
    throw error;
  }
}

function rootMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootMessage(error.cause) : error.message;
}
