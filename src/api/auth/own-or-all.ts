import { type AccountKey, isOwnedBy } from '../../auth/accounts.js';
import type { Principal } from '../../auth/principal.js';
import { type Static, Type } from '../../kernel/json-schema.js';

/** Shared parts of the routes for sessions and tokens: users manage their own, administrators manage all. */

export interface OwnOrAllDeps {
  /** @throws Fault forbidden when the principal is not an administrator */
  readonly checkAdmin: (principal: Principal) => void;
}

export const maxListed = 1_000;

export const listQuery = Type.Object({
  all: Type.Optional(
    Type.Boolean({ description: 'Whether to list those of all users; administrators only.', default: false }),
  ),
});

export type ListQuery = Static<typeof listQuery>;

export interface IdParams {
  Params: { id: string };
}

export const idParams = (what: string) =>
  Type.Object({ id: Type.String({ description: `Id of the ${what}.`, examples: ['9f86d081884c7d65'] }) });

export const milliseconds = (description: string) =>
  Type.Integer({ description: `${description}, in milliseconds since the epoch.` });

/**
 * Returns the account whose items are listed; undefined for the items of all accounts.
 * @throws Fault forbidden when `all` is requested by anyone but an administrator
 */
export function requestedOwner(principal: Principal, { all }: ListQuery, deps: OwnOrAllDeps): AccountKey | undefined {
  if (all !== true) return principal;
  deps.checkAdmin(principal);
  return undefined;
}

/** Whether the principal may end or delete an item of `owner`. */
export function mayManage(principal: Principal, owner: AccountKey, { checkAdmin }: OwnOrAllDeps): boolean {
  if (isOwnedBy(principal, owner)) return true;
  try {
    checkAdmin(principal);
    return true;
  } catch {
    return false;
  }
}
