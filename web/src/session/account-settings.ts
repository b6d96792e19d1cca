import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import { ApiError } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import { meQuery } from './me.ts';

interface AccountSettings {
  readonly value: Readonly<Record<string, unknown>>;
  readonly etag: string | null;
}

/**
 * The settings that the service stores for the user, which follow the user to other browsers. They are kept as last
 * read or stored: a page that is being left then needs only one request.
 */
export const accountSettingsQuery = (userName: string) =>
  queryOptions({
    queryKey: ['account-settings', userName],
    queryFn: async (): Promise<AccountSettings> => {
      const answer = await api.GET('/me/settings', {});
      return { value: dataOf(answer), etag: answer.response.headers.get('etag') };
    },
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Returns the new value of a setting. It is called again if another browser has stored the setting first. */
type Change = (stored: unknown) => unknown;

/** Changes that are not stored yet, by the name of the setting. */
const changes = new Map<string, Change>();
let userOfChanges = '';
let turn: Promise<unknown> = Promise.resolve();

/** Changes a setting when the settings are stored the next time. */
export function changeAccountSetting(userName: string, name: string, change: Change): void {
  if (userName !== userOfChanges) changes.clear();
  userOfChanges = userName;
  changes.set(name, change);
}

/** Stores all changes with one request. Changes that cannot be stored wait for the next call. */
export async function storeAccountSettings(): Promise<void> {
  turn = turn.then(() => send()).catch(() => undefined);
  await turn;
}

async function send(isRepeated = false): Promise<void> {
  const query = accountSettingsQuery(userOfChanges);
  const known = queryClient.getQueryData(query.queryKey);
  // Another user may have signed in since.
  const isUser = queryClient.getQueryData(meQuery.queryKey)?.userName === userOfChanges;
  if (changes.size === 0 || known === undefined || !isUser) return;
  const sent = [...changes];
  const changed = sent.map(([name, change]) => [name, change(known.value[name])] as const);
  const value = { ...known.value, ...Object.fromEntries(changed) };
  const header = known.etag === null ? {} : { 'if-match': known.etag };
  try {
    const answer = await api.PUT('/me/settings', { params: { header }, body: value as never, keepalive: true });
    queryClient.setQueryData(query.queryKey, { value, etag: answer.response.headers.get('etag') });
    for (const [name, change] of sent) if (changes.get(name) === change) changes.delete(name);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 412 || isRepeated) return;
    await queryClient.fetchQuery({ ...query, staleTime: 0 });
    await send(true);
  }
}
