import type { AccountKey } from '../../auth/accounts.js';

/** The columns of an account. */
export const accountColumns = ({ scheme, userName }: AccountKey) => ({ scheme, user_name: userName });
