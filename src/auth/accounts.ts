import { foldCase } from '../kernel/text.js';
import type { Identity } from './authentication-provider.port.js';
import type { Principal, Role } from './principal.js';

/** A user as the authentication provider last described them; stored in sessions and tokens. */
export interface Account extends Identity {
  /** Name of the provider that authenticated the user. Called `scheme` in stored sessions and tokens. */
  readonly scheme: string;
}

/** Identity of an account: the same user name at another provider is another account. */
export type AccountKey = Pick<Account, 'scheme' | 'userName'>;

export function isOwnedBy(account: AccountKey, { scheme, userName }: AccountKey): boolean {
  return account.scheme === scheme && account.userName === userName;
}

/** Returns a string that identifies the account, for use as a key. */
export function toText({ scheme, userName }: AccountKey): string {
  return JSON.stringify([scheme, userName]);
}

/** The directory groups whose members have a role, by role. */
export type GroupRoles = Readonly<Partial<Record<Role, readonly string[]>>>;

/** Maps accounts to principals by the current configuration, however long ago the account signed in. */
export class Accounts {
  constructor(
    /** Names of the configured providers. */
    private readonly providers: readonly string[],
    private readonly groupRoles: GroupRoles,
  ) {}

  /** Returns the principal with its current roles; undefined when the account's provider is no longer configured. */
  toPrincipal({ scheme, userName, displayName, mail, groups, roles }: Account): Principal | undefined {
    if (!this.providers.includes(scheme)) return undefined;
    const given = [...roles, ...rolesOfGroups(this.groupRoles, groups)];
    return {
      scheme,
      userName,
      displayName,
      mail,
      groups,
      roles: [...new Set<Role>(given.includes('ADMIN') ? given : [...given, 'USER'])],
    };
  }
}

/** Compares group names ignoring case, as directories do. */
function rolesOfGroups(mapping: GroupRoles, groups: readonly string[]): Role[] {
  const folded = new Set(groups.map(foldCase));
  return Object.entries(mapping).flatMap(([role, names]) =>
    names.some((name) => folded.has(foldCase(name))) ? [role as Role] : [],
  );
}

/** Returns true when both are the same user of the same provider, with equal names, mail address, roles and groups. */
export function isSameAccount(one: Account, other: Account): boolean {
  const shape = ({ scheme, userName, displayName, mail, roles, groups }: Account) =>
    JSON.stringify([scheme, userName, displayName, mail, [...roles].sort(), [...groups].sort()]);
  return shape(one) === shape(other);
}
