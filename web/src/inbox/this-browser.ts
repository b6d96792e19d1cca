import { api, dataOf } from '../api/api.ts';
import type { PushBrowser } from '../api/types.ts';

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
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh: publicKey = '', auth: secret = '' } = keys;
  const name = nameOfBrowser(navigator.userAgent);
  const { id } = dataOf<PushBrowser>(await api.PUT('/me/browsers', { body: { endpoint, publicKey, secret, name } }));
  localStorage.setItem(storedName, JSON.stringify({ userName, id } satisfies Stored));
  return true;
}

/** Stops notifications in this browser. If the service is unreachable, it notices that later. */
export async function removeThisBrowser(): Promise<void> {
  const stored = readStored();
  if (!stored) return;
  localStorage.removeItem(storedName);
  const registration = await navigator.serviceWorker.getRegistration('/');
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
}

/** Removes this browser if it still shows the notifications of another user, who did not sign out. */
export async function removeUnlessOf(userName: string): Promise<void> {
  if ((readStored()?.userName ?? userName) !== userName) await removeThisBrowser();
}

const later = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));

function nameOfBrowser(userAgent: string): string {
  const [browser = 'Browser'] = ['Edg', 'Firefox', 'Chrome', 'Safari'].filter((name) => userAgent.includes(name));
  const [system] = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'].filter((name) => userAgent.includes(name));
  return [browser.replace('Edg', 'Edge'), system].filter((part) => part !== undefined).join(', ');
}

function readStored(): Stored | undefined {
  try {
    return (JSON.parse(localStorage.getItem(storedName) ?? 'null') as Stored | null) ?? undefined;
  } catch {
    return undefined;
  }
}
