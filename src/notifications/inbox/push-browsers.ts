import { createHash } from 'node:crypto';
import type { Account, AccountKey } from '../../auth/accounts.js';
import { Fault } from '../../kernel/fault.js';
import { limitFault } from '../../kernel/limit.js';
import type { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { PushService } from '../subscribers/push-service.port.js';
import type { InboxStorage, InboxTransaction } from './inbox-storage.js';
import type { PushBrowser } from './inbox-store.port.js';

export const browserLimits = {
  /** Maximum number of browsers of one user. */
  browsers: 10,
  /** Maximum lengths in UTF-16 code units. */
  nameLength: 100,
  endpointLength: 1_000,
} as const;

export type BrowserDraft = Pick<PushBrowser, 'name' | 'endpoint' | 'publicKey' | 'secret'> & {
  /** Endpoint that the browser had before its push service ended it. */
  readonly replaces?: string | undefined;
};

/**
 * Adds a browser of the user, which shows new items of the inbox from now on. Replaces one with the same endpoint. A
 * browser with a new endpoint keeps its id, and is only accepted while the user has not removed it.
 * @throws Fault invalid `delivery.bad-endpoint`, `delivery.bad-keys`; conflict `delivery.too-many-browsers`
 */
export async function putBrowser(
  storage: InboxStorage,
  push: Pick<PushService, 'findRefusal' | 'areKeys'>,
  account: Account,
  { replaces, ...draft }: BrowserDraft,
): Promise<PushBrowser> {
  const refuse = (reason: string) =>
    new Fault('invalid', 'delivery.bad-endpoint', `Notifications cannot be sent to this browser: ${reason}`);
  const refusal = push.findRefusal(draft.endpoint);
  if (refusal !== undefined) throw refuse(refusal);
  if (!push.areKeys(draft)) {
    throw new Fault(
      'invalid',
      'delivery.bad-keys',
      'The keys do not come from a browser. Subscribe the browser again.',
    );
  }
  const id = createHash('sha256').update(draft.endpoint).digest('hex').slice(0, 32);
  return storage.write(async ({ inbox, feed }) => {
    const watcher = await inbox.findWatcher(account);
    const newest = await feed.newest();
    const delivery = watcher?.delivery ?? { mail: false, after: newest };
    const browsers = delivery.browsers ?? [];
    const former = browsers.find((one) => one.id === id || [draft.endpoint, replaces].includes(one.endpoint));
    if (!former && replaces !== undefined) throw refuse('it was removed from the notifications of the user.');
    if (!former && browsers.length >= browserLimits.browsers) {
      throw limitFault('conflict', 'delivery.too-many-browsers', {
        refused: 'The browser was not added.',
        limit: { amount: `${browserLimits.browsers} browsers`, setting: undefined, countedFor: 'each user' },
        advice: 'Remove one first.',
      });
    }
    const browser = { ...draft, id: former?.id ?? id, after: former?.after ?? newest };
    const all = former ? browsers.map((one) => (one === former ? browser : one)) : [...browsers, browser];
    await inbox.putWatcher({ watches: [], ...watcher, account, delivery: { ...delivery, browsers: all } });
    return browser;
  });
}

/**
 * Removes a browser of the user, which gets no more notifications.
 * @param endpoint removes it only if it still has this endpoint
 * @returns false if the user has a browser with this id and another endpoint
 */
export async function removeBrowser(
  storage: UnitOfWork<Pick<InboxTransaction, 'inbox'>, unknown>,
  owner: AccountKey,
  id: string,
  endpoint?: string,
): Promise<boolean> {
  return storage.write(async ({ inbox }) => {
    const watcher = await inbox.findWatcher(owner);
    const browsers = watcher?.delivery?.browsers ?? [];
    const removed = browsers.find((one) => one.id === id);
    if (!watcher?.delivery || !removed) return true;
    if (endpoint !== undefined && removed.endpoint !== endpoint) return false;
    const kept = browsers.filter((one) => one !== removed);
    await inbox.putWatcher({ ...watcher, delivery: { ...watcher.delivery, browsers: kept } });
    return true;
  });
}
