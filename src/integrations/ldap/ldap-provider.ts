import { FilterParser } from 'ldapts';
import type { AuthenticationProvider } from '../../auth/authentication-provider.port.js';
import type { Log } from '../../kernel/log.js';
import { authenticateRemotely } from './authenticate-remotely.js';
import { fillPattern } from './fill-pattern.js';
import type { LdapOptions } from './ldap-options.js';
import { LdapServers } from './ldap-servers.js';
import { LdapUsers } from './ldap-users.js';
import { recheckRemotely } from './recheck-remotely.js';

/** @throws Error when a search filter is invalid */
export function ldapProvider(scheme: 'ldap' | 'embeddedLdap', options: LdapOptions, log: Log): AuthenticationProvider {
  for (const search of [options.userSearch, options.groupSearch]) if (search) checkFilter(search.filter);
  const servers = new LdapServers(options, options.manager, log);
  const users = new LdapUsers(options, servers, log);
  return {
    name: scheme,
    isRemote: true,
    authenticate: (credentials) => authenticateRemotely(credentials, log, () => users.authenticate(credentials)),
    recheck: (userName) => recheckRemotely(log, () => users.recheck(userName)),
    close: () => servers.close(),
  };
}

function checkFilter(filter: string): void {
  try {
    FilterParser.parseString(fillPattern(filter, 'cn=x', 'x'));
  } catch (error) {
    throw new Error(`the search filter “${filter}” is invalid: ${(error as Error).message}`, { cause: error });
  }
}
