import { type AccountKey, toText } from '../../auth/accounts.js';
import type { PushService } from '../subscribers/push-service.port.js';
import type { Delivery, Outcome, Sender } from '../subscribers/sender.port.js';
import type { PushBrowser, Watcher } from './inbox-store.port.js';

/** A way in which items of an inbox reach the user. */
export interface PersonalChannel {
  /** Name of the subscriber. */
  readonly name: string;
  /** Target of the deliveries, as administrators see it. */
  readonly target: string;
  readonly batchWindowMs: number;
  readonly maxChanges: number;
  /**
   * Returns the position in the feed after which changes are sent; undefined when the user does not use this channel.
   */
  findStart(watcher: Watcher): number | undefined;
  /** Returns the outcome of an attempt while the user does not use this channel. */
  unusedOutcome(watcher: Watcher): Outcome;
  /** Makes one attempt. `thread` names the thread of all changes; undefined when the changes are of several threads. */
  send(watcher: Watcher, delivery: Delivery, thread: string | undefined, signal: AbortSignal): Promise<Outcome>;
}

export interface MailChannelDeps {
  /** Returns the sender to a mail address. */
  readonly senderTo: (address: string) => Sender;
  /** Returns the address at which a user can turn the mails off without signing in. */
  readonly unsubscribeUrl: (owner: AccountKey) => Promise<string>;
  readonly batchWindowMs: number;
}

export interface PushChannelDeps {
  readonly push: PushService;
  /**
   * Called when a browser has ended its subscription. `after` is the position in the feed before the refused message.
   * Returns false if the browser has another subscription now.
   */
  readonly end: (owner: AccountKey, browser: PushBrowser, after: number) => Promise<boolean>;
}

export interface ChatChannelDeps {
  /** Shown to administrators. */
  readonly host: string;
  /** Returns the name of the user in the chat. */
  readonly recipientOf: (owner: AccountKey) => string;
  /** Returns the sender to a user of the chat. */
  readonly senderTo: (recipient: string) => Sender;
}

const delivered = { kind: 'delivered' } as const;
/** Not delivered: a browser that renews its subscription before its channel has ended gets the message. */
const endedOutcome = { kind: 'failed', reason: 'the browser has ended its subscription' } as const;
const targetOf = ({ scheme, userName }: AccountKey) => `${userName} (${scheme})`;

export const mailChannelName = (owner: AccountKey) => `user ${toText(owner)}`;
export const chatChannelName = (owner: AccountKey) => `chat ${toText(owner)}`;
export const pushChannelName = (owner: AccountKey, { id }: Pick<PushBrowser, 'id'>) => `browser ${id} ${toText(owner)}`;

/** Returns the account of a subscriber that is a user, in the form of `toText`; undefined for other subscribers. */
export function ownerOfChannel(name: string): string | undefined {
  return /^(?:user|chat|browser [0-9a-f]{32}) (\[.*\])$/s.exec(name)?.[1];
}

export function mailChannel(deps: MailChannelDeps, owner: AccountKey): PersonalChannel {
  return {
    ...{ name: mailChannelName(owner), target: targetOf(owner), batchWindowMs: deps.batchWindowMs, maxChanges: 100 },
    findStart: ({ delivery }) => (delivery?.mail ? delivery.after : undefined),
    unusedOutcome: () => delivered,
    async send({ account: { mail } }, delivery, thread, signal) {
      if (mail === undefined) return delivered;
      const personal = { thread, unsubscribeUrl: await deps.unsubscribeUrl(owner) };
      return deps.senderTo(mail).send({ ...delivery, personal }, signal);
    },
  };
}

/** Returns a channel without a batch window, because messages in a chat arrive immediately. */
export function chatChannel({ host, recipientOf, senderTo }: ChatChannelDeps, owner: AccountKey): PersonalChannel {
  const sender = senderTo(recipientOf(owner));
  return {
    ...{ name: chatChannelName(owner), target: `${targetOf(owner)} by ${host}`, batchWindowMs: 0, maxChanges: 20 },
    findStart: ({ delivery }) => delivery?.chatAfter,
    unusedOutcome: () => delivered,
    send: (_watcher, delivery, _thread, signal) => sender.send(delivery, signal),
  };
}

/** Returns a channel without a batch window, because a notification replaces the previous one of the same thread. */
export function pushChannel(deps: PushChannelDeps, owner: AccountKey, browser: PushBrowser): PersonalChannel {
  const { id, endpoint } = browser;
  const find = ({ delivery }: Watcher) => delivery?.browsers?.find((one) => one.id === id);
  return {
    name: pushChannelName(owner, browser),
    target: `${targetOf(owner)} by ${new URL(endpoint).host}`,
    ...{ batchWindowMs: 0, maxChanges: 10 },
    findStart: (watcher) => find(watcher)?.after,
    unusedOutcome: ({ delivery }) => (delivery?.endedBrowsers?.some((one) => one.id === id) ? endedOutcome : delivered),
    async send(watcher, delivery, thread, signal) {
      const current = find(watcher);
      if (!current) return this.unusedOutcome(watcher);
      const outcome = await deps.push.send(current, { delivery, thread }, signal);
      if (outcome.kind !== 'gone') return outcome;
      const [first] = delivery.changes;
      const hasEnded = await deps.end(owner, current, (first?.sequence ?? 1) - 1);
      return hasEnded ? endedOutcome : { kind: 'failed', reason: 'the browser has subscribed again' };
    },
  };
}

/** Returns the names of the subscribers that the user has chosen, whether or not the service can deliver to them. */
export function channelNamesOf({ account, delivery }: Watcher): ReadonlySet<string> {
  const names = new Set(delivery?.browsers?.map((browser) => pushChannelName(account, browser)));
  if (delivery?.mail) names.add(mailChannelName(account));
  if (delivery?.chatAfter !== undefined) names.add(chatChannelName(account));
  return names;
}
