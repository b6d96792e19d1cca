import { foldCase } from '../search/words.js';
import type { Role } from './principal.js';

/** Names of groups of the directory by the role that they give. */
export type GroupRoles = Readonly<Partial<Record<Role, readonly string[]>>>;

/** The roles of somebody who is in these groups; the case of a group's name does not matter. */
export function rolesOfGroups(mapping: GroupRoles, groups: readonly string[]): Role[] {
  const folded = new Set(groups.map(foldCase));
  return Object.entries(mapping).flatMap(([role, names]) =>
    names.some((name) => folded.has(foldCase(name))) ? [role as Role] : [],
  );
}
