import { foldCase } from '../kernel/text.js';
import type { Identity } from './authentication-provider.port.js';
import type { Principal, Role } from './principal.js';

/** Somebody as a scheme knew them when they signed in: what is kept of them in sessions and tokens. */
export interface Account extends Identity {
  /** The scheme that let them in. */
  readonly scheme: string;
}

/** Names of groups of the directory by the role that they give. */
export type GroupRoles = Readonly<Partial<Record<Role, readonly string[]>>>;

/** What accounts are worth by the configuration of today, whenever they signed in. */
export class Accounts {
  constructor(
    /** Those in use. */
    private readonly schemes: readonly string[],
    private readonly groupRoles: GroupRoles,
  ) {}

  /** Undefined when nobody signs in by that scheme any more. */
  principalOf({ scheme, userName, groups, roles }: Account): Principal | undefined {
    if (!this.schemes.includes(scheme)) return undefined;
    const given = [...roles, ...rolesOfGroups(this.groupRoles, groups)];
    return { userName, groups, roles: [...new Set<Role>(given.includes('ADMIN') ? given : [...given, 'USER'])] };
  }
}

/** The case of a group's name does not matter. */
function rolesOfGroups(mapping: GroupRoles, groups: readonly string[]): Role[] {
  const folded = new Set(groups.map(foldCase));
  return Object.entries(mapping).flatMap(([role, names]) =>
    names.some((name) => folded.has(foldCase(name))) ? [role as Role] : [],
  );
}

/** Whether two are the same person with the same groups. */
export function isSameAccount(one: Account, other: Account): boolean {
  const shape = ({ scheme, userName, roles, groups }: Account) =>
    JSON.stringify([scheme, userName, [...roles].sort(), [...groups].sort()]);
  return shape(one) === shape(other);
}
