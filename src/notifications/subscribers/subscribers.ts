import { Fault, quoted } from '../../kernel/fault.js';
import { DeliveryWorker, type DeliveryWorkerDeps } from './delivery-worker.js';
import type { Sender } from './sender.port.js';
import type { Subscriber } from './subscriber.js';
import type { StoredDeadLetter, SubscriberState } from './subscriber-store.port.js';

/** How a subscriber is, for the administrator. */
export interface SubscriberReport extends SubscriberState {
  /** Both empty for one that is not configured any more. */
  readonly kind: string;
  readonly target: string;
  readonly status: DeliveryWorker['doing'] | 'not-configured';
  /** How many changes of the feed lie after its position, at most. */
  readonly behind: number;
  readonly deadLetters: number;
  /** Those that made room for newer ones. */
  readonly droppedLetters: number;
}

/** All that follow the changes, each at its own pace. */
export class Subscribers {
  private constructor(
    private readonly deps: DeliveryWorkerDeps,
    private readonly running: ReadonlyMap<string, DeliveryWorker>,
    private readonly stopListening: () => void,
  ) {}

  static async start(
    deps: DeliveryWorkerDeps,
    configured: readonly { readonly subscriber: Subscriber; readonly sender: Sender }[],
  ): Promise<Subscribers> {
    const running = new Map<string, DeliveryWorker>();
    for (const { subscriber, sender } of configured) {
      running.set(subscriber.name, await DeliveryWorker.start(deps, subscriber, sender));
    }
    const stopListening = deps.storage.onCommit((commit) => {
      if (!commit.feed) return;
      for (const one of running.values()) one.noteCommit();
    });
    // What was committed while they started.
    for (const one of running.values()) one.noteCommit();
    return new Subscribers(deps, running, stopListening);
  }

  /** By name, those that are not configured any more too. */
  async list(): Promise<SubscriberReport[]> {
    const { feed, subscribers } = this.deps.storage.committed;
    const newest = await feed.newest();
    const states = new Map((await subscribers.list()).map((state) => [state.name, state]));
    for (const [name, one] of this.running) states.set(name, one.progress);
    const reports: SubscriberReport[] = [];
    for (const [name, state] of [...states].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const one = this.running.get(name);
      reports.push({
        ...state,
        kind: one?.subscriber.kind ?? '',
        target: one?.subscriber.target ?? '',
        status: one?.doing ?? 'not-configured',
        behind: Math.max(0, newest - state.sequence),
        deadLetters: await subscribers.countDeadLetters(name),
        droppedLetters: await subscribers.countDroppedDeadLetters(name),
      });
    }
    return reports;
  }

  /** Newest first. @throws Fault missing `subscriber.not-found` */
  async listDeadLetters(name: string, limit: number, beforeId?: number): Promise<StoredDeadLetter[]> {
    const { subscribers } = this.deps.storage.committed;
    if (!this.running.has(name) && !(await subscribers.find(name))) throw unknownSubscriber(name);
    return subscribers.listDeadLetters(name, limit, beforeId);
  }

  /**
   * One more attempt, soon; of a subscriber that is not configured, once it is again.
   * @throws Fault missing `dead-letter.not-found`
   */
  async tryLetterAgain(name: string, id: number): Promise<void> {
    await this.deps.storage.write(async (tx) => {
      const letter = await tx.subscribers.findDeadLetter(name, id);
      if (!letter) throw unknownLetter(name, id);
      await tx.subscribers.changeDeadLetter(name, { ...letter, again: true });
    });
    this.running.get(name)?.noteLetters();
  }

  /** @throws Fault missing `dead-letter.not-found` */
  async removeDeadLetter(name: string, id: number): Promise<void> {
    if (!(await this.deps.storage.write((tx) => tx.subscribers.removeDeadLetter(name, id))))
      throw unknownLetter(name, id);
  }

  /**
   * Forgets how far it came, and its dead letters.
   * @throws Fault conflict `subscriber.configured`; missing `subscriber.not-found`
   */
  async remove(name: string): Promise<void> {
    if (this.running.has(name)) {
      throw new Fault(
        'conflict',
        'subscriber.configured',
        `The subscriber ${quoted(name)} is in the configuration. Take it out there and restart the service first.`,
      );
    }
    if (!(await this.deps.storage.write((tx) => tx.subscribers.remove(name)))) throw unknownSubscriber(name);
  }

  /** Cuts off what is under way; it is sent again after the next start. */
  async stop(): Promise<void> {
    this.stopListening();
    await Promise.all(Array.from(this.running.values(), (one) => one.stop()));
  }
}

function unknownSubscriber(name: string): Fault {
  return new Fault('missing', 'subscriber.not-found', `There is no subscriber ${quoted(name)}.`);
}

function unknownLetter(name: string, id: number): Fault {
  return new Fault('missing', 'dead-letter.not-found', `The subscriber ${quoted(name)} has no dead letter ${id}.`);
}
