import { api, dataOf } from '../api/api.ts';
import type { PushBrowser } from '../api/types.ts';
import { inTurn } from '../offline/in-turn.ts';
import { describeSubscription } from './push-subscription.ts';
import { findSubscription, inPushTurn, later, pushLock, readStored, store } from './this-browser.ts';

/** Maximum time to wait for the service worker: some browsers have none in private windows. */
const workerWithinMs = 10_000;

/** Whether this browser can show notifications while no page is open: over HTTPS, where it has service workers. */
export function canShowPushes(): boolean {
  return isSecureContext && 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
}

/** Returns the id of this browser among those of the user; undefined: it shows no notifications of the user. */
export async function idOfThisBrowser(userName: string): Promise<string | undefined> {
  if (!canShowPushes() || Notification.permission !== 'granted') return undefined;
  const subscription = await inPushTurn(findSubscription);
  const stored = readStored();
  return subscription && stored?.userName === userName ? stored.id : undefined;
}

/**
 * Registers this browser to show the inbox items of the user as notifications.
 * @returns false when the browser does not allow notifications, or has no service worker in time
 * @throws Error when the browser or the service refuses it
 */
export async function addThisBrowser(userName: string, pushKey: string): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') return false;
  const registration = await Promise.race([navigator.serviceWorker.ready, later(workerWithinMs)]);
  if (!registration) return false;
  const { pushManager } = registration;
  return inTurn(pushLock, async () => {
    // An earlier subscription may use another key, or belong to the previous user.
    await (await pushManager.getSubscription())?.unsubscribe();
    const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
    const { id } = dataOf<PushBrowser>(await api.PUT('/me/browsers', { body: describeSubscription(subscription) }));
    store({ userName, id });
    return true;
  });
}
