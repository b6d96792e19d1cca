import { inTurn } from '../offline/in-turn.ts';

/** Key in the local storage: the user whose notifications this browser shows. */
const storedName = 'logbook.notifications';

/** Lock for every change of the subscription, in pages and in the service worker. */
export const pushLock = 'logbook.push';

/** Maximum time to wait for another change of the subscription; longer than the service worker waits for an answer. */
const turnWithinMs = 10_000;

interface Stored {
  readonly userName: string;
  /** Id of this browser at the service. */
  readonly id: string;
}

/** Stops notifications in this browser without asking the service, which the push service later informs. */
export const removeThisBrowser = () => remove(() => true);

/** Removes this browser if it still shows the notifications of another user, who did not sign out. */
export const removeUnlessOf = (userName: string) =>
  remove((stored) => stored !== undefined && stored.userName !== userName);

async function remove(isWanted: (stored: Stored | undefined) => boolean): Promise<void> {
  await inPushTurn(async () => {
    if (!isWanted(readStored())) return;
    // Also if nothing is stored: no subscription may outlast a sign-out.
    await (await findSubscription())?.unsubscribe();
    localStorage.removeItem(storedName);
  });
}

/** Waits until a renewal of the subscription has ended, but not longer than `turnWithinMs`. */
export function inPushTurn<Result>(action: () => Promise<Result>): Promise<Result | undefined> {
  return Promise.race([inTurn(pushLock, action), later(turnWithinMs)]);
}

/** Returns the subscription of this browser; undefined or null: there is none. */
export const findSubscription = async () =>
  (await navigator.serviceWorker?.getRegistration('/'))?.pushManager?.getSubscription();

export const later = (ms: number) => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms));

export function store(stored: Stored): void {
  localStorage.setItem(storedName, JSON.stringify(stored));
}

export function readStored(): Stored | undefined {
  try {
    return (JSON.parse(localStorage.getItem(storedName) ?? 'null') as Stored | null) ?? undefined;
  } catch {
    return undefined;
  }
}
