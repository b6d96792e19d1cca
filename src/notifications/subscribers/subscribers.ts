import { Fault, quoted } from '../../kernel/fault.js';
import { ageOfChange } from '../age-of-change.js';
import type { AttemptDeps } from './attempt-delivery.js';
import type { DeliveryRoute } from './delivery-route.js';
import type { DeliveryWorker } from './delivery-worker.js';
import type { DeliveryPlace, LeasedDelivery, LeasedDeliveryDeps } from './leased-delivery.js';
import type { Sender } from './sender.port.js';
import type { Subscriber } from './subscriber.js';
import type { StoredDeadLetter, SubscriberState } from './subscriber-store.port.js';

/** Interval between two searches for dead letters to retry. */
const lookMs = 3_000;
/** Maximum number of changes that are counted after the position of a subscriber. */
const maxLag = 100_000;

/** The state of a subscriber as the administrator sees it. */
export interface SubscriberReport extends SubscriberState {
  /** Like `target`, empty when the subscriber is no longer configured. */
  readonly kind: string;
  readonly target: string;
  readonly status: DeliveryWorker['status'] | 'other-node' | 'not-configured';
  /** Number of changes in the feed after its position, at most `maxLag`. */
  readonly lag: number;
  /** Number of deliveries that are retried for one recipient alone. */
  readonly deferred: number;
  readonly deadLetters: number;
  /** Number of dead letters dropped in favour of newer ones. */
  readonly droppedDeadLetters: number;
}

/** Kind of the subscribers that are users. */
export const userKind = 'user';

export interface SubscriberLag {
  readonly name: string;
  /** Age of the oldest change after its position; 0 when there is none. */
  readonly lagMs: number;
  readonly deadLetters: number;
}

export type SubscribersDeps = AttemptDeps & LeasedDeliveryDeps;

/** All subscribers. Each has its own worker, so that a slow one delays no other. */
export class Subscribers {
  /** Deliveries to users, who are not configured as subscribers. */
  private readonly ofUsers = new Map<string, Promise<LeasedDelivery>>();

  private constructor(
    private readonly deps: SubscribersDeps,
    private readonly deliveries: Map<string, LeasedDelivery>,
    private readonly unsubscribe: () => void,
  ) {}

  static async start(
    deps: SubscribersDeps,
    configured: readonly { readonly subscriber: Subscriber; readonly sender: Sender }[],
  ): Promise<Subscribers> {
    const deliveries = new Map<string, LeasedDelivery>();
    try {
      for (const { subscriber, sender } of configured) {
        const { LeasedDelivery } = await import('./leased-delivery.js');
        const { searchRoute } = await import('./delivery-route.js');
        const place = { lease: `subscriber-${subscriber.name}`, lookMs };
        const route = searchRoute(deps, subscriber, sender);
        deliveries.set(subscriber.name, await LeasedDelivery.start(deps, subscriber, route, place));
      }
    } catch (error) {
      for (const delivery of deliveries.values()) await delivery.stop();
      throw error;
    }
    const unsubscribe = deps.storage.onCommit((commit) => {
      if (!commit.feed) return;
      for (const { worker, subscriber } of deliveries.values()) if (subscriber.kind !== userKind) worker?.onCommit();
    });
    // Catches up with commits between the start of a worker and the registration of the listener.
    for (const { worker } of deliveries.values()) worker?.onCommit();
    return new Subscribers(deps, deliveries, unsubscribe);
  }

  /** Starts deliveries to a user; if they have been started already, looks for something to deliver. */
  async deliverToUser(subscriber: Subscriber, route: DeliveryRoute, place: DeliveryPlace): Promise<void> {
    const { name } = subscriber;
    const known = this.ofUsers.get(name);
    if (known) {
      (await known).worker?.lookAgain();
      return;
    }
    const starting = import('./leased-delivery.js').then(({ LeasedDelivery }) =>
      LeasedDelivery.start(this.deps, subscriber, route, place),
    );
    this.ofUsers.set(name, starting);
    try {
      this.deliveries.set(name, await starting);
    } catch (error) {
      this.ofUsers.delete(name);
      throw error;
    }
  }

  /** Ends deliveries that a user has turned off, and removes their state and dead letters. */
  async endUser(name: string): Promise<void> {
    const starting = this.ofUsers.get(name);
    this.ofUsers.delete(name);
    this.deliveries.delete(name);
    await (await starting?.catch(() => undefined))?.stop();
    await this.deps.storage.write((tx) => tx.subscribers.remove(name));
  }

  /** Ends the deliveries to users, because another node makes them. */
  async leaveUsers(): Promise<void> {
    const left = [...this.ofUsers];
    this.ofUsers.clear();
    for (const [name, starting] of left) {
      this.deliveries.delete(name);
      await (await starting.catch(() => undefined))?.stop();
    }
  }

  /** Lists all subscribers by name, including those that are no longer configured. */
  async list(): Promise<SubscriberReport[]> {
    const { feed, subscribers } = this.deps.storage.committed;
    const states = new Map((await subscribers.list()).map((state) => [state.name, state]));
    for (const [name, { worker }] of this.deliveries) if (worker) states.set(name, worker.progress);
    const reports: SubscriberReport[] = [];
    for (const [name, state] of [...states].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const delivery = this.deliveries.get(name);
      reports.push({
        ...state,
        kind: delivery?.subscriber.kind ?? '',
        target: delivery?.subscriber.target ?? '',
        status: delivery ? (delivery.worker?.status ?? 'other-node') : 'not-configured',
        lag: await feed.countAfter(state.sequence, maxLag),
        deferred: await subscribers.countDeferred(name),
        deadLetters: await subscribers.countDeadLetters(name),
        droppedDeadLetters: await subscribers.countDroppedDeadLetters(name),
      });
    }
    return reports;
  }

  /** Returns the lags of the subscribers to which this node delivers. */
  async lags(nowMs: number): Promise<SubscriberLag[]> {
    const { feed, subscribers } = this.deps.storage.committed;
    const lags: SubscriberLag[] = [];
    for (const [name, { worker, subscriber }] of this.deliveries) {
      if (!worker || subscriber.kind === userKind) continue;
      const [next] = await feed.listAfter(worker.progress.sequence, 1);
      const deadLetters = await subscribers.countDeadLetters(name);
      lags.push({ name, lagMs: ageOfChange(next, nowMs), deadLetters });
    }
    return lags;
  }

  /** Lists at most `limit` dead letters, newest first. @throws Fault missing `subscriber.not-found` */
  async listDeadLetters(name: string, limit: number, beforeId?: number): Promise<StoredDeadLetter[]> {
    const { subscribers } = this.deps.storage.committed;
    if (!this.deliveries.has(name) && !(await subscribers.find(name))) throw subscriberNotFound(name);
    return subscribers.listDeadLetters(name, limit, beforeId);
  }

  /**
   * Requests one more attempt, which is made soon, or once the subscriber is configured again.
   * @throws Fault missing `dead-letter.not-found`
   */
  async retryDeadLetter(name: string, id: number): Promise<void> {
    await this.deps.storage.write(async (tx) => {
      const deadLetter = await tx.subscribers.findDeadLetter(name, id);
      if (!deadLetter) throw deadLetterNotFound(name, id);
      await tx.subscribers.changeDeadLetter(name, { ...deadLetter, retryRequested: true });
    });
    this.deliveries.get(name)?.worker?.lookAgain();
  }

  /** @throws Fault missing `dead-letter.not-found` */
  async removeDeadLetter(name: string, id: number): Promise<void> {
    const isRemoved = await this.deps.storage.write((tx) => tx.subscribers.removeDeadLetter(name, id));
    if (!isRemoved) throw deadLetterNotFound(name, id);
  }

  /**
   * Removes the stored state of a subscriber, with its dead letters.
   * @throws Fault conflict `subscriber.configured`; missing `subscriber.not-found`
   */
  async remove(name: string): Promise<void> {
    if (this.deliveries.has(name)) {
      throw new Fault(
        'conflict',
        'subscriber.configured',
        `The subscriber ${quoted(name)} is still configured. Remove it from the configuration and restart the service first.`,
      );
    }
    if (!(await this.deps.storage.write((tx) => tx.subscribers.remove(name)))) throw subscriberNotFound(name);
  }

  /** Aborts the attempts under way; their deliveries are sent again after the next start. */
  async stop(): Promise<void> {
    this.unsubscribe();
    await Promise.allSettled(this.ofUsers.values());
    await Promise.all(Array.from(this.deliveries.values(), (delivery) => delivery.stop()));
  }
}

function subscriberNotFound(name: string): Fault {
  return new Fault('missing', 'subscriber.not-found', `Subscriber ${quoted(name)} not found.`);
}

function deadLetterNotFound(name: string, id: number): Fault {
  return new Fault('missing', 'dead-letter.not-found', `Subscriber ${quoted(name)} has no dead letter ${id}.`);
}
