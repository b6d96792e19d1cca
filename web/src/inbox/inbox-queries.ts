import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../api/api.ts';
import { queryClient } from '../api/query-client.ts';
import type { InboxDelivery, InboxPage, Me, Watch, WatchInput } from '../api/types.ts';

const pageSize = 50;

// The keys contain the user: the next user who signs in must not see data of the previous one.
export type UserName = Me['userName'] | undefined;

/** The number of unread items, and that of the user's watches. */
export const unreadQuery = (userName: UserName) =>
  queryOptions({
    queryKey: ['inbox', userName, 'unread'],
    queryFn: async ({ signal }): Promise<Pick<InboxPage, 'unread' | 'watches'>> =>
      dataOf<InboxPage>(await api.GET('/me/inbox', { params: { query: { size: 1 } }, signal })),
    enabled: typeof userName === 'string',
    retry: false,
  });

/** The items, newest first. */
export const inboxQuery = (userName: UserName) =>
  infiniteQueryOptions({
    queryKey: ['inbox', userName, 'items'],
    queryFn: async ({ pageParam, signal }): Promise<InboxPage> => {
      const query = { size: pageSize, ...(pageParam !== null && { before: pageParam }) };
      return dataOf(await api.GET('/me/inbox', { params: { query }, signal }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
    retry: false,
  });

/** The user's watches, each with the number of its unread items. */
export const watchesQuery = (userName: UserName) =>
  queryOptions({
    queryKey: ['watches', userName],
    queryFn: async ({ signal }): Promise<readonly Watch[]> => dataOf(await api.GET('/me/watches', { signal })),
    enabled: typeof userName === 'string',
    retry: false,
  });

/** Returns a search as its watch stores it. */
export function watchQuery(query: string): string {
  return new URLSearchParams({ query }).toString();
}

/** Reads the inbox again. */
export async function refreshInbox(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['inbox'] });
  await queryClient.invalidateQueries({ queryKey: ['watches'] });
}

/** Marks items as read: some of them, or all up to an id. */
export async function markRead(read: { readonly ids?: number[]; readonly upTo?: number }): Promise<void> {
  await api.POST('/me/inbox/read', { body: read });
  await refreshInbox();
}

export async function addWatch(watch: WatchInput): Promise<void> {
  await api.POST('/me/watches', { body: watch });
  await refreshInbox();
}

export async function removeWatch(id: string): Promise<void> {
  await api.DELETE('/me/watches/{id}', { params: { path: { id } } });
  await refreshInbox();
}

/** Query for the delivery of the inbox outside of the page, such as by mail. */
export const deliveryQuery = (userName: UserName) =>
  queryOptions({
    queryKey: ['delivery', userName],
    queryFn: async ({ signal }): Promise<InboxDelivery> => dataOf(await api.GET('/me/delivery', { signal })),
    enabled: typeof userName === 'string',
    retry: false,
  });

export async function removeBrowser(userName: UserName, id: string): Promise<void> {
  await api.DELETE('/me/browsers/{id}', { params: { path: { id } } });
  await queryClient.invalidateQueries({ queryKey: deliveryQuery(userName).queryKey });
}

/** A choice of delivery. Without `chat`, the choice for messages in the chat stays. */
export type DeliveryChoice = Pick<InboxDelivery, 'mail' | 'quiet'> & Partial<Pick<InboxDelivery, 'chat'>>;

let choices = 0;
let lastSent: Promise<unknown> = Promise.resolve();

/**
 * Shows the choice immediately, so that the next one is based on it. Choices are sent in order. The stored choice is
 * read only after the last of them, because an earlier answer would undo what is shown.
 */
export async function chooseDelivery(userName: UserName, choice: DeliveryChoice): Promise<void> {
  choices += 1;
  const number = choices;
  const { queryKey } = deliveryQuery(userName);
  await queryClient.cancelQueries({ queryKey });
  queryClient.setQueryData(queryKey, (former) => former && { ...former, ...choice });
  const sent = lastSent.then(() => api.PUT('/me/delivery', { body: choice }));
  lastSent = sent.catch(() => undefined);
  try {
    await sent;
  } finally {
    if (number === choices) await queryClient.invalidateQueries({ queryKey });
  }
}
