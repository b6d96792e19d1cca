/**
 * Roles that permit more than reading, when roles are enforced. `ADMIN`: everything; `LOG`: write entries and
 * templates; `LOGBOOK`, `TAG`, `PROPERTY`: manage that part of the catalogue; `USER`: every signed-in user has it.
 */
const roles = ['ADMIN', 'LOG', 'LOGBOOK', 'TAG', 'PROPERTY', 'USER'] as const;
export type Role = (typeof roles)[number];

/** The authenticated user of a request. */
export interface Principal {
  /** Name of the provider that authenticated the user: the same name in another provider is another user. */
  readonly scheme: string;
  readonly userName: string;
  /** The display name; undefined when the directory has none. Grants nothing. */
  readonly displayName?: string | undefined;
  /** The mail address that the provider knows; undefined: none. Grants nothing. */
  readonly mail?: string | undefined;
  readonly roles: readonly Role[];
  /** Names of the directory groups that the user is in. */
  readonly groups: readonly string[];
  /** The API token that authenticated the request, if one did: it may have fewer rights than its owner. */
  readonly token?: {
    readonly id: string;
    readonly name: string;
    readonly rights: readonly string[];
    readonly isAutomatic?: true | undefined;
  };
}
