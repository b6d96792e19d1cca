import { api, dataOf } from '../api/api.ts';
import type { PushBrowser } from '../api/types.ts';
import { describeSubscription } from './push-subscription.ts';

/** Key in the local storage: the user whose notifications this browser shows. */
const storedName = 'logbook.notifications';

/** Maximum time to wait for the service worker: some browsers have none in private windows. */
const workerWithinMs = 10_000;

interface Stored {
  readonly userName: string;
  /** Id of this browser at the service. */
  readonly id: string;
}

/** Whether this browser can show notifications while no page is open: over HTTPS, where it has service workers. */
export function canShowPushes(): boolean {
  return isSecureContext && 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

/** Returns the id of this browser among those of the user; undefined: it shows no notifications of the user. */
export function idOfThisBrowser(userName: string | null | undefined): string | undefined {
  const stored = readStored();
  return stored?.userName === userName && Notification.permission === 'granted' ? stored?.id : undefined;
}

/**
 * Registers this browser to show the inbox items of the user as notifications.
 * @returns false when the browser does not allow notifications
 * @throws Error when the browser or the service refuses it
 */
export async function addThisBrowser(userName: string, pushKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const registration = await Promise.race([navigator.serviceWorker.ready, later(workerWithinMs)]);
  if (!registration) return false;
  const { pushManager } = registration;
  // An earlier subscription may use another key, or belong to the previous user.
  await (await pushManager.getSubscription())?.unsubscribe();
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
  const { id } = dataOf<PushBrowser>(await api.PUT('/me/browsers', { body: describeSubscription(subscription) }));
  localStorage.setItem(storedName, JSON.stringify({ userName, id } satisfies Stored));
  return true;
}

/** Stops notifications in this browser. If the service is unreachable, it notices that later. */
export async function removeThisBrowser(): Promise<void> {
  const stored = readStored();
  if (!stored) return;
  localStorage.removeItem(storedName);
  await (await findSubscription())?.unsubscribe();
}

/**
 * Removes this browser if it still shows the notifications of another user, who did not sign out, or if its push
 * service has ended them.
 */
export async function removeUnlessOf(userName: string): Promise<void> {
  const stored = readStored();
  if (stored && (stored.userName !== userName || !(await findSubscription()))) await removeThisBrowser();
}

const findSubscription = async () =>
  (await navigator.serviceWorker.getRegistration('/'))?.pushManager.getSubscription();

const later = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));

function readStored(): Stored | undefined {
  try {
    return (JSON.parse(localStorage.getItem(storedName) ?? 'null') as Stored | null) ?? undefined;
  } catch {
    return undefined;
  }
}
