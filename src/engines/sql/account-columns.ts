import type { AccountKey } from '../../auth/accounts.js';

export const accountColumns = ({ scheme, userName }: AccountKey) => ({ scheme, user_name: userName });
