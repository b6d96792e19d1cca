import { type AccountKey, toText } from '../../auth/accounts.js';
import type { PushService } from '../subscribers/push-service.port.js';
import { type Subscribers, userKind } from '../subscribers/subscribers.js';
import { inboxLease } from './inbox-storage.js';
import type { PushBrowser, Watcher } from './inbox-store.port.js';
import {
  type ChatChannelDeps,
  channelNamesOf,
  chatChannel,
  type MailChannelDeps,
  mailChannel,
  ownerOfChannel,
  type PersonalChannel,
  pushChannel,
} from './personal-channels.js';
import { type PersonalRouteDeps, personalRoute } from './personal-route.js';
import { endBrowser } from './push-browsers.js';

/** Interval between two searches for retries of dead letters that were requested through another node. */
const lookMs = 60_000;
/** Delay before deliveries that could not start are tried again. */
const retryMs = 5_000;

/** Retry limits of deliveries to users, the same as the defaults of a subscriber by e-mail. */
const limits = { initialRetryDelayMs: 1_000, maxRetryDelayMs: 600_000, maxDeliveryAgeMs: 86_400_000 };

export interface PersonalDeliveriesDeps extends PersonalRouteDeps {
  readonly subscribers: Pick<Subscribers, 'deliverToUser' | 'leaveUsers' | 'endUser'>;
  /** Undefined: no mail server is configured. */
  readonly mail: MailChannelDeps | undefined;
  /** Undefined: notifications are not configured. */
  readonly push: PushService | undefined;
  /** Undefined: no chat is configured. */
  readonly chat: ChatChannelDeps | undefined;
}

/** Deliveries of the items of inboxes to their users, as to subscribers: at least once, in order, with dead letters. */
export class PersonalDeliveries {
  private isHere = false;
  /** Names of the subscribers of each user that are started or stored, by account. */
  private readonly known = new Map<string, Set<string>>();
  /**
   * Settles after the last change of subscribers. Changes run one after the other, each with the current choice of the
   * user.
   */
  private changing: Promise<void> = Promise.resolve();

  constructor(private readonly deps: PersonalDeliveriesDeps) {}

  /** The push service; undefined: notifications are not configured. */
  get push(): PushService | undefined {
    return this.deps.push;
  }

  get isMailOffered(): boolean {
    return this.deps.mail !== undefined;
  }

  /** Returns the name under which the user gets messages in the chat; undefined: no chat is configured. */
  findChatRecipient(owner: AccountKey): string | undefined {
    return this.deps.chat?.recipientOf(owner);
  }

  /** Starts deliveries to all users who have chosen one. Must be called when this node obtains the lease. */
  begin(): void {
    this.isHere = true;
    this.wakeAll().catch((err: unknown) => this.deps.log.warn({ err }, 'deliveries to users not started'));
  }

  /** Ends all deliveries. Must be called when another node obtains the lease. */
  leave(): void {
    if (!this.isHere) return;
    this.isHere = false;
    this.known.clear();
    this.deps.subscribers
      .leaveUsers()
      .catch((err: unknown) => this.deps.log.warn({ err }, 'deliveries to users not ended'));
  }

  /** To be called when the service stops. */
  end(): void {
    this.isHere = false;
  }

  /** Whether the user has subscribers that are started or stored. */
  isKnown(owner: AccountKey): boolean {
    return this.known.has(toText(owner));
  }

  /** To be called when the inbox of the user has new items, or the choice of the user has changed. Never rejects. */
  wake(owner: AccountKey): Promise<void> {
    this.changing = this.changing.then(() => this.follow(owner));
    return this.changing;
  }

  /** Starts, wakes and ends the subscribers of the user according to the user's choice. */
  private async follow(owner: AccountKey): Promise<void> {
    if (!this.isHere) return;
    const { storage, subscribers } = this.deps;
    const text = toText(owner);
    const known = this.known.get(text) ?? new Set();
    try {
      const watcher = await storage.committed.inbox.findWatcher(owner);
      const wanted = watcher ? channelNamesOf(watcher) : new Set();
      for (const channel of watcher ? this.channelsOf(watcher) : []) {
        this.known.set(text, known.add(channel.name));
        await this.start(owner, channel);
      }
      for (const name of known) {
        if (wanted.has(name)) continue;
        await subscribers.endUser(name);
        known.delete(name);
      }
      if (known.size === 0) this.known.delete(text);
    } catch (err) {
      this.deps.log.warn({ err, user: text }, 'deliveries to a user not started; will retry');
      setTimeout(() => void this.wake(owner), retryMs).unref();
    }
  }

  private start(owner: AccountKey, channel: PersonalChannel): Promise<void> {
    const { name, target, batchWindowMs, maxChanges } = channel;
    const subscriber = {
      ...{ name, kind: userKind, target, search: {}, events: [] },
      ...limits,
      batchWindowMs,
      maxChanges,
    };
    const route = personalRoute(this.deps, owner, channel);
    return this.deps.subscribers.deliverToUser(subscriber, route, { lease: inboxLease, lookMs });
  }

  private channelsOf({ account, delivery }: Watcher): PersonalChannel[] {
    const { mail, push, chat, storage } = this.deps;
    const end = async (owner: AccountKey, browser: PushBrowser, after: number) => {
      const hasEnded = await endBrowser(storage, owner, browser, after);
      // Not awaited, because it waits for the attempt that calls this function.
      void this.wake(owner);
      return hasEnded;
    };
    return [
      ...(mail && delivery?.mail ? [mailChannel(mail, account)] : []),
      ...(chat && delivery?.chatAfter !== undefined ? [chatChannel(chat, account)] : []),
      ...(push ? (delivery?.browsers ?? []).map((browser) => pushChannel({ push, end }, account, browser)) : []),
    ];
  }

  private async wakeAll(): Promise<void> {
    const { inbox, subscribers } = this.deps.storage.committed;
    for (const { name } of await subscribers.list()) {
      const owner = ownerOfChannel(name);
      if (owner !== undefined) this.known.set(owner, (this.known.get(owner) ?? new Set()).add(name));
    }
    for await (const watcher of inbox.listWatchers()) {
      if (channelNamesOf(watcher).size > 0 || this.isKnown(watcher.account)) await this.wake(watcher.account);
    }
  }
}
