import { useEffect, useSyncExternalStore } from 'react';
import { queryClient } from '../api/query-client.ts';
import { serverNow } from '../api/server-clock.ts';
import type { Hit } from '../api/types.ts';
import { accountSettingsQuery, changeAccountSetting, storeAccountSettings } from '../session/account-settings.ts';
import { useMe } from '../session/me.ts';
import { beginVisit, parseVisit, type Visit, withOpened } from './last-visit.ts';

export interface LastVisit {
  /** Time up to which the list had been read at the last visit, also one in another browser that is known later. */
  readonly readUpToMs: number | undefined;
  readonly isUnread: (hit: Pick<Hit, 'id' | 'createdDate' | 'owner'>) => boolean;
  /** Whether the line of the last visit belongs above this hit: it is the first one that existed then. */
  readonly isFirstRead: (hit: Pick<Hit, 'createdDate'>, before: Pick<Hit, 'createdDate'> | undefined) => boolean;
}

const storeEveryMs = 60_000;
/** Delay of the request, so that the list is loaded first. */
const serverAfterMs = 3_000;

/** Name of the user whose visit it is; undefined: not known yet; empty: not signed in. */
let userName: string | undefined;
let visit: Visit | undefined;
const listeners = new Set<() => void>();
const nothingNew: LastVisit = { readUpToMs: undefined, isUnread: () => false, isFirstRead: () => false };
let shown = nothingNew;

/**
 * Returns what is new since the last visit of this user: in any of their browsers, or in this one when not signed in.
 */
export function useLastVisit(): LastVisit {
  return useSyncExternalStore(watch, () => shown);
}

/** Records the visit to the list, and marks the open entry as read. */
export function useMarkRead(openId: number | undefined): void {
  const me = useMe();
  const name = me === undefined ? undefined : (me.userName ?? '');
  useEffect(() => (name === undefined ? undefined : follow(name)), [name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another user has not opened it yet
  useEffect(() => {
    if (openId === undefined || visit === undefined) return;
    change(withOpened(visit, openId));
    store();
  }, [openId, name]);
}

function watch(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(next: Visit): void {
  visit = next;
  const { readUpToMs, openedIds } = next;
  const opened = new Set(openedIds);
  shown =
    readUpToMs === undefined
      ? nothingNew
      : {
          readUpToMs,
          isUnread: ({ id, createdDate, owner }) => createdDate > readUpToMs && owner !== userName && !opened.has(id),
          isFirstRead: (hit, before) =>
            before !== undefined && before.createdDate > readUpToMs && hit.createdDate <= readUpToMs,
        };
  for (const listener of listeners) listener();
}

/** Starts the visit of the user, and extends it while the page is visible. */
function follow(name: string): () => void {
  if (name !== userName) {
    userName = name;
    change(beginVisit(readStored(), serverNow()));
  }
  const seen = () => {
    if (visit && document.visibilityState === 'visible') visit = { ...visit, seenMs: serverNow() };
    store();
  };
  const left = () => {
    if (visit) visit = { ...visit, seenMs: serverNow() };
    store();
    if (name !== '') storeOnServer(name);
  };
  const leftHidden = () => document.visibilityState === 'hidden' && left();
  const timer = setInterval(seen, storeEveryMs);
  const asking = name === '' ? undefined : setTimeout(() => void adoptFromServer(name), serverAfterMs);
  addEventListener('pagehide', left);
  document.addEventListener('visibilitychange', leftHidden);
  seen();
  return () => {
    clearInterval(timer);
    clearTimeout(asking);
    removeEventListener('pagehide', left);
    document.removeEventListener('visibilitychange', leftHidden);
  };
}

const storedName = (): string => `logbook.visit.${userName}`;

function readStored(): Visit | undefined {
  try {
    return parseVisit(JSON.parse(localStorage.getItem(storedName()) ?? 'null'));
  } catch {
    return undefined;
  }
}

function store(): void {
  try {
    localStorage.setItem(storedName(), JSON.stringify(visit));
  } catch {
    // Storage is switched off: the server still knows.
  }
}

/** Name of the visit among the settings of the user. */
const settingName = 'lastVisit';

/** Adopts a later visit in another browser: entries read there count as read. */
async function adoptFromServer(name: string): Promise<void> {
  const settings = await queryClient.fetchQuery(accountSettingsQuery(name)).catch(() => undefined);
  const elsewhere = parseVisit(settings?.value[settingName]);
  if (!elsewhere || name !== userName || !visit) return;
  const begun = beginVisit(elsewhere, serverNow());
  if ((begun.readUpToMs ?? 0) > (visit.readUpToMs ?? 0)) change({ ...begun, openedIds: visit.openedIds });
}

/** Called when the page is left. If the request fails, this browser still knows the visit. */
function storeOnServer(name: string): void {
  if (!visit) return;
  const { readUpToMs, seenMs } = visit;
  // Another tab may have stored a later one.
  const later = (stored: unknown) => ((parseVisit(stored)?.seenMs ?? 0) > seenMs ? stored : { readUpToMs, seenMs });
  changeAccountSetting(name, settingName, later);
  void storeAccountSettings();
}
