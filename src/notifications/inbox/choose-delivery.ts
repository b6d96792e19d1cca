import type { Account, AccountKey } from '../../auth/accounts.js';
import { Fault, quoted } from '../../kernel/fault.js';
import type { InboxStorage } from './inbox-storage.js';
import type { DeliveryChoice, InboxReader } from './inbox-store.port.js';
import { isTimeZone } from './quiet-hours.js';

export type DeliveryDraft = Pick<DeliveryChoice, 'mail' | 'quiet'> & {
  /** Whether items are sent in the chat; undefined: unchanged. */
  readonly chat?: boolean | undefined;
};

/** Returns the choice of the user; nothing is sent before the user has made one. */
export async function findDelivery(inbox: InboxReader, owner: AccountKey): Promise<Omit<DeliveryChoice, 'after'>> {
  return (await inbox.findWatcher(owner))?.delivery ?? { mail: false };
}

/**
 * Stores the choice of the user. A channel only sends changes made after it was turned on.
 * @throws Fault conflict `delivery.no-address`; invalid `delivery.bad-zone`
 */
export async function chooseDelivery(storage: InboxStorage, account: Account, draft: DeliveryDraft): Promise<void> {
  const { mail, quiet, chat } = draft;
  if (mail && account.mail === undefined) {
    throw new Fault(
      'conflict',
      'delivery.no-address',
      'The logbook does not know your mail address. Ask the administrator of your account to add it, then sign in again.',
    );
  }
  if (quiet && !isTimeZone(quiet.zone)) {
    throw new Fault(
      'invalid',
      'delivery.bad-zone',
      `The time zone ${quoted(quiet.zone)} is not known. Use a name such as Europe/Berlin.`,
    );
  }
  await storage.write(async ({ inbox, feed }) => {
    const watcher = await inbox.findWatcher(account);
    const former = watcher?.delivery;
    const newest = await feed.newest();
    const after = mail && former?.mail ? former.after : newest;
    const chatAfter = chat === false ? undefined : (former?.chatAfter ?? (chat ? newest : undefined));
    const delivery = { ...former, mail, quiet, after, chatAfter };
    await inbox.putWatcher({ watches: [], ...watcher, account, delivery });
  });
}

/** Turns mails off. No effect if they are off. */
export async function stopMails(storage: InboxStorage, owner: AccountKey): Promise<void> {
  await storage.write(async ({ inbox }) => {
    const watcher = await inbox.findWatcher(owner);
    if (watcher?.delivery?.mail) await inbox.putWatcher({ ...watcher, delivery: { ...watcher.delivery, mail: false } });
  });
}
