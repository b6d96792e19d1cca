/**
 * Roles, with the rights that each adds when roles are enforced. `ADMIN`: everything; `LOG`: writing entries and
 * templates; `LOGBOOK`, `TAG`, `PROPERTY`: managing that part of the catalogue; `USER`, which all signed-in users but
 * administrators have: none.
 */
const roles = ['ADMIN', 'LOG', 'LOGBOOK', 'TAG', 'PROPERTY', 'USER'] as const;
export type Role = (typeof roles)[number];

/** The authenticated user of a request. */
export interface Principal {
  /** Name of the provider that authenticated the user. The same name at another provider belongs to another user. */
  readonly scheme: string;
  readonly userName: string;
  /** The display name; undefined when the directory has none. It grants no rights. */
  readonly displayName?: string | undefined;
  /** The mail address known to the provider; undefined: none. It grants no rights. */
  readonly mail?: string | undefined;
  readonly roles: readonly Role[];
  /** Names of the directory groups that the user is in. */
  readonly groups: readonly string[];
  /** The API token that authenticated the request, if any. It may have fewer rights than its owner. */
  readonly token?: {
    readonly id: string;
    readonly name: string;
    readonly rights: readonly string[];
    readonly isAutomatic?: true | undefined;
  };
}
