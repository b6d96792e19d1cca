/**
 * What somebody may do besides reading, when roles are enforced. `ADMIN`: everything; `LOG`: write entries and
 * templates; `LOGBOOK`, `TAG`, `PROPERTY`: keep that part of the catalogue; `USER`: is signed in.
 */
export const roles = ['ADMIN', 'LOG', 'LOGBOOK', 'TAG', 'PROPERTY', 'USER'] as const;
export type Role = (typeof roles)[number];

/** Who is asking. */
export interface Principal {
  readonly userName: string;
  readonly roles: readonly Role[];
  /** Names of the groups of the directory that the user is in. */
  readonly groups: readonly string[];
  /** The API token that was sent in place of a password: it may do less than its owner. */
  readonly token?: { readonly id: string; readonly name: string; readonly rights: readonly string[] };
}
