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

export type BrowserDraft = Pick<PushBrowser, 'name' | 'endpoint' | 'publicKey' | 'secret'>;

/**
 * Adds a browser of the user, which shows new items of the inbox from now on. Replaces one with the same endpoint.
 * @throws Fault invalid `delivery.bad-endpoint`, `delivery.bad-keys`; conflict `delivery.too-many-browsers`
 */
export async function putBrowser(
  storage: InboxStorage,
  push: Pick<PushService, 'findRefusal' | 'areKeys'>,
  account: Account,
  draft: BrowserDraft,
): Promise<PushBrowser> {
  const refusal = push.findRefusal(draft.endpoint);
  if (refusal !== undefined) {
    throw new Fault('invalid', 'delivery.bad-endpoint', `Notifications cannot be sent to this browser: ${refusal}`);
  }
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
    const former = browsers.find((one) => one.id === id);
    if (!former && browsers.length >= browserLimits.browsers) {
      throw limitFault('conflict', 'delivery.too-many-browsers', {
        refused: 'The browser was not added.',
        limit: { amount: `${browserLimits.browsers} browsers`, setting: undefined, countedFor: 'each user' },
        advice: 'Remove one first.',
      });
    }
    const browser = { ...draft, id, after: former?.after ?? newest };
    const all = former ? browsers.map((one) => (one === former ? browser : one)) : [...browsers, browser];
    await inbox.putWatcher({ watches: [], ...watcher, account, delivery: { ...delivery, browsers: all } });
    return browser;
  });
}

/** Removes a browser of the user, which gets no more notifications. No effect if none has this id. */
export async function removeBrowser(
  storage: UnitOfWork<Pick<InboxTransaction, 'inbox'>, unknown>,
  owner: AccountKey,
  id: string,
): Promise<void> {
  await storage.write(async ({ inbox }) => {
    const watcher = await inbox.findWatcher(owner);
    const browsers = watcher?.delivery?.browsers ?? [];
    const kept = browsers.filter((one) => one.id !== id);
    if (!watcher?.delivery || kept.length === browsers.length) return;
    await inbox.putWatcher({ ...watcher, delivery: { ...watcher.delivery, browsers: kept } });
  });
}
