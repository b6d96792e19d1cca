import { type AccountKey, toText } from '../../auth/accounts.js';
import type { Log } from '../../kernel/log.js';
import type { Subscriber } from '../subscribers/subscriber.js';
import { type Subscribers, userKind } from '../subscribers/subscribers.js';
import { inboxLease } from './inbox-storage.js';
import { type PersonalRouteDeps, personalRoute } from './personal-route.js';

/** How often a request for the retry of a dead letter, made through another node, is looked for. */
const lookMs = 60_000;
/** Delay before deliveries that could not start are tried again. */
const retryMs = 5_000;

/** How mails to users are repeated; the defaults of a subscriber by e-mail. */
const limits = {
  maxChanges: 100,
  initialRetryDelayMs: 1_000,
  maxRetryDelayMs: 600_000,
  maxDeliveryAgeMs: 86_400_000,
};

export interface PersonalDeliveriesDeps extends PersonalRouteDeps {
  readonly subscribers: Pick<Subscribers, 'deliverToUser' | 'leaveUsers'>;
  readonly batchWindowMs: number;
  readonly log: Log;
}

/** Deliveries of the items of inboxes to their users, as to subscribers: at least once, in order, with dead letters. */
export class PersonalDeliveries {
  private isHere = false;

  constructor(private readonly deps: PersonalDeliveriesDeps) {}

  /** Begins with all users who have chosen mails. To be called when this node has the lease. */
  begin(): void {
    this.isHere = true;
    this.wakeAll().catch((err: unknown) => this.deps.log.warn({ err }, 'deliveries to users not started'));
  }

  /** To be called when another node has the lease. */
  leave(): void {
    if (!this.isHere) return;
    this.isHere = false;
    this.deps.subscribers
      .leaveUsers()
      .catch((err: unknown) => this.deps.log.warn({ err }, 'deliveries to users not ended'));
  }

  /** To be called when the service stops. */
  end(): void {
    this.isHere = false;
  }

  /** To be called when the inbox of the user has new items, or the choice of the user has changed. Never rejects. */
  async wake(owner: AccountKey): Promise<void> {
    if (!this.isHere) return;
    const { scheme, userName } = owner;
    const subscriber: Subscriber = {
      ...{ name: `user ${toText(owner)}`, kind: userKind, target: `${userName} (${scheme})`, search: {}, events: [] },
      ...limits,
      batchWindowMs: this.deps.batchWindowMs,
    };
    const route = personalRoute(this.deps, owner, subscriber);
    try {
      await this.deps.subscribers.deliverToUser(subscriber, route, { lease: inboxLease, lookMs });
    } catch (err) {
      this.deps.log.warn({ err, subscriber: subscriber.name }, 'deliveries not started; will retry');
      setTimeout(() => void this.wake(owner), retryMs).unref();
    }
  }

  private async wakeAll(): Promise<void> {
    for await (const { account, delivery } of this.deps.storage.committed.inbox.listWatchers()) {
      if (delivery?.mail) await this.wake(account);
    }
  }
}
