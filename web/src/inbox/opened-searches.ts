import { queryClient } from '../api/query-client.ts';
import { accountSettingsQuery, changeAccountSetting, storeAccountSettings } from '../session/account-settings.ts';

/** Name of the setting: by the id of a saved search, the newest entry that existed when the user last opened it. */
const settingName = 'openedSearches';

/** Minimum time between two requests that store what was opened. */
const storeEveryMs = 20_000;

/** Maximum number of stored searches before deleted ones are removed. */
const maxKept = 300;

/** Id of the newest entry when a search was opened in this tab, by the id of the search. */
const opened = new Map<string, number>();
let userOfOpened = '';
let isDue = false;
let storedMs = Number.NEGATIVE_INFINITY;

/** Reads the setting; ignores what it does not know. */
function parseOpened(value: unknown): ReadonlyMap<string, number> {
  const pairs = Object.entries((value ?? {}) as Record<string, unknown>);
  return new Map(pairs.filter((pair): pair is [string, number] => typeof pair[1] === 'number'));
}

/** Returns the larger of the two entry ids for each search. */
function withLater(
  known: ReadonlyMap<string, number>,
  others: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const later = new Map(known);
  for (const [id, entryId] of others) later.set(id, Math.max(entryId, known.get(id) ?? 0));
  return later;
}

/**
 * Returns the newest entry that existed when each search was last opened, in any browser of the user.
 * @param maxAgeMs maximum age of what is known of other browsers
 */
export async function readOpened(userName: string, maxAgeMs: number): Promise<ReadonlyMap<string, number>> {
  const { value } = await queryClient.fetchQuery({ ...accountSettingsQuery(userName), staleTime: maxAgeMs });
  return withLater(parseOpened(value[settingName]), openedBy(userName));
}

/** Returns the searches that the user has opened in this tab. */
export function openedBy(userName: string): ReadonlyMap<string, number> {
  if (userName !== userOfOpened) opened.clear();
  userOfOpened = userName;
  return opened;
}

/** Notes that a search was opened when this entry was the newest. */
export function noteOpened(userName: string, id: string, entryId: number): void {
  openedBy(userName);
  opened.set(id, entryId);
}

/**
 * Stores what was opened. If there are more than `maxKept` searches, keeps only those given: the others have been
 * deleted.
 */
export function storeOpened(userName: string, searchIds: readonly string[]): void {
  changeAccountSetting(userName, settingName, (stored) => {
    const known = withLater(parseOpened(stored), openedBy(userName));
    const isKept = (id: string) => known.size <= maxKept || searchIds.includes(id);
    return Object.fromEntries([...known].filter(([id]) => isKept(id)));
  });
  if (isDue) return;
  isDue = true;
  const store = () => {
    isDue = false;
    storedMs = performance.now();
    void storeAccountSettings();
  };
  setTimeout(store, Math.max(0, storedMs + storeEveryMs - performance.now()));
}
