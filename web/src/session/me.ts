import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, dataOf, onUnauthorized } from '../api/api.ts';
import { queryClient } from '../api/query-client.ts';
import type { Bootstrap, Me } from '../api/types.ts';
import { sortedByName } from '../components/sorted-by-name.ts';
import { removeThisBrowser, removeUnlessOf } from '../inbox/this-browser.ts';
import { tellWorker } from '../offline/tell-worker.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { forgetUser, rememberUser, useLastUser, watchOtherTabs } from './session-end.ts';

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel('logbook.session') : undefined;

/** Query for the user of the page, and what the user may do. */
export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }): Promise<Me> => {
    const read = dataOf<Me>(await api.GET('/me', { signal }));
    const me = { ...read, logbooks: sortedByName(read.logbooks) };
    rememberUser(me);
    if (me.userName !== null) void removeUnlessOf(me.userName).catch(() => undefined);
    return me;
  },
  staleTime: 60_000,
  // The session may have ended while the page was in the background.
  refetchOnWindowFocus: true,
});

/** Reads the catalogue, the limits and the version of the service, which all pages need. */
export const bootstrapQuery = queryOptions({
  queryKey: ['bootstrap'],
  queryFn: async ({ signal }): Promise<Bootstrap> => {
    const read = dataOf<Bootstrap>(await api.GET('/bootstrap', { signal }));
    const { logbooks, tags } = read.configuration;
    const configuration = { ...read.configuration, logbooks: sortedByName(logbooks), tags: sortedByName(tags) };
    return {
      ...read,
      configuration,
      properties: sortedByName(read.properties),
      templates: sortedByName(read.templates),
    };
  },
  staleTime: 5 * 60_000,
});

export function useMe(): Me | undefined {
  return useQuery(meQuery).data;
}

/**
 * Returns the user for whom the page is shown. When the session ends without a sign-out, the page still belongs to this
 * user, who finds the typed text there after signing in again.
 */
export function useUserOfPage(): Me | undefined {
  const me = useMe();
  const lastUser = useLastUser();
  return me?.userName === null ? (lastUser?.me ?? me) : me;
}

export function useBootstrap(): Bootstrap | undefined {
  return useQuery(bootstrapQuery).data;
}

/** Whether the service has an archiver, which sends the samples of plots. */
export function useHasHistory(): boolean {
  return useBootstrap()?.deviceSources.includes('history') ?? false;
}

/** Reads everything again after a sign-in or sign-out, here and in the other tabs. */
async function announceSessionChange(): Promise<void> {
  channel?.postMessage('changed');
  await refreshSession();
}

async function refreshSession(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['me'] });
  // Let components switch off queries that need a session first.
  await new Promise((done) => setTimeout(done));
  // Results depend on who reads.
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'me' });
}

/** Follows sign-ins and sign-outs in other tabs, and sessions that the server has ended. */
export function startSession(): void {
  channel?.addEventListener('message', () => void refreshSession());
  watchOtherTabs(() => void refreshSession());
  onUnauthorized(() => void queryClient.invalidateQueries({ queryKey: ['me'] }));
}

export async function signIn(username: string, password: string): Promise<void> {
  await api.POST('/login', { body: { username, password } });
  tellWorker({ kind: 'forget' });
  await announceSessionChange();
}

/** Signs out. The session continues if the service cannot be reached, which the page then shows. */
export async function signOut(): Promise<void> {
  const answer = await api.POST('/logout', {}).catch(showProblem);
  if (!answer) return;
  forgetUser();
  // The push service then tells the logbook that this browser shows no more notifications.
  await removeThisBrowser().catch(() => undefined);
  // Forget answers that another tab read before the session ended.
  tellWorker({ kind: 'forget' });
  await announceSessionChange();
  const left = dataOf<{ readonly signOutUrl?: string } | null>(answer);
  if (left?.signOutUrl !== undefined) location.assign(left.signOutUrl);
}
