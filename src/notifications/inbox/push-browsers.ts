import { createHash } from 'node:crypto';
import type { Account, AccountKey } from '../../auth/accounts.js';
import { Fault } from '../../kernel/fault.js';
import { limitFault } from '../../kernel/limit.js';
import type { UnitOfWork } from '../../kernel/unit-of-work.js';
import type { PushService } from '../subscribers/push-service.port.js';
import type { InboxStorage, InboxTransaction } from './inbox-storage.js';
import type { EndedBrowser, PushBrowser } from './inbox-store.port.js';

export const browserLimits = {
  /** Maximum number of browsers of one user. */
  browsers: 10,
  /** Maximum number of ended browsers of one user; beyond it, the oldest ones are forgotten. */
  endedBrowsers: 10,
  /** Maximum lengths in UTF-16 code units. */
  nameLength: 100,
  endpointLength: 1_000,
} as const;

/** Time after the first refused message within which a browser that renews its subscription gets that message. */
const renewalMs = 3_600_000;

export type BrowserDraft = Pick<PushBrowser, 'name' | 'endpoint' | 'publicKey' | 'secret'> & {
  /** Endpoint that the browser had before its push service ended it. */
  readonly replaces?: string | undefined;
};

/**
 * Adds a browser of the user, which shows new items of the inbox from now on. Replaces one with the same endpoint. A
 * browser with a new endpoint keeps its id, and is only accepted while the user has not removed it. If its push service
 * has ended the subscription, the browser gets the messages that were refused within the last hour.
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
    const endpoints = [draft.endpoint, replaces];
    const former =
      browsers.find(({ endpoint }) => endpoint === draft.endpoint) ??
      browsers.find((one) => one.id === id || one.endpoint === replaces);
    const ended = delivery.endedBrowsers ?? [];
    const returned = ended.find(({ endpoint }) => endpoint === replaces);
    const renewed = former ?? returned;
    if (!renewed && replaces !== undefined) throw refuse('it was removed from the notifications of the user.');
    if (!former && browsers.length >= browserLimits.browsers) {
      throw limitFault('conflict', 'delivery.too-many-browsers', {
        refused: 'The browser was not added.',
        limit: { amount: `${browserLimits.browsers} browsers`, setting: undefined, countedFor: 'each user' },
        advice: 'Remove one first.',
      });
    }
    const browser = { ...draft, id: renewed?.id ?? id, after: former?.after ?? findRefused(returned) ?? newest };
    const isOther = (one: Pick<PushBrowser, 'id' | 'endpoint'>) =>
      one.id !== browser.id && !endpoints.includes(one.endpoint);
    const kept = browsers.filter((one) => one === former || isOther(one));
    const all = former ? kept.map((one) => (one === former ? browser : one)) : [...kept, browser];
    const changed = { ...delivery, browsers: all, endedBrowsers: ended.filter(isOther) };
    await inbox.putWatcher({ watches: [], ...watcher, account, delivery: changed });
    return browser;
  });
}

/** Returns the position before the first message that an ended browser has refused, if that was not long ago. */
function findRefused(ended: EndedBrowser | undefined): number | undefined {
  const refused = ended?.refused;
  return refused && Date.now() - refused.at < renewalMs ? refused.after : undefined;
}

type BrowserStorage = UnitOfWork<Pick<InboxTransaction, 'inbox'>, unknown>;

/** Removes a browser of the user, which gets no more notifications, and cannot renew its subscription. */
export async function removeBrowser(storage: BrowserStorage, owner: AccountKey, id: string): Promise<void> {
  await storage.write(async ({ inbox }) => {
    const watcher = await inbox.findWatcher(owner);
    if (!watcher?.delivery) return;
    const { browsers = [], endedBrowsers = [] } = watcher.delivery;
    const isKept = (one: { readonly id: string }) => one.id !== id;
    const kept = { browsers: browsers.filter(isKept), endedBrowsers: endedBrowsers.filter(isKept) };
    await inbox.putWatcher({ ...watcher, delivery: { ...watcher.delivery, ...kept } });
  });
}

/**
 * Stops sending to a browser whose push service has ended its subscription, until the browser renews it.
 * @param after position in the change feed before the message that was refused
 * @returns false if the browser has another subscription now
 */
export async function endBrowser(
  storage: BrowserStorage,
  owner: AccountKey,
  { id, endpoint }: Pick<PushBrowser, 'id' | 'endpoint'>,
  after: number,
): Promise<boolean> {
  return storage.write(async ({ inbox }) => {
    const watcher = await inbox.findWatcher(owner);
    const browsers = watcher?.delivery?.browsers ?? [];
    const found = browsers.find((one) => one.id === id);
    if (!watcher?.delivery || !found) return true;
    if (found.endpoint !== endpoint) return false;
    const ending = { id, endpoint, refused: { after, at: Date.now() } };
    const ended = [...(watcher.delivery.endedBrowsers ?? []), ending].slice(-browserLimits.endedBrowsers);
    const changed = { browsers: browsers.filter((one) => one !== found), endedBrowsers: ended };
    await inbox.putWatcher({ ...watcher, delivery: { ...watcher.delivery, ...changed } });
    return true;
  });
}
