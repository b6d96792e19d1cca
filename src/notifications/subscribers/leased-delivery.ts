import { setMaxListeners } from 'node:events';
import { type HeldLease, leaseRetryMs, type NodeLeases } from '../../kernel/node-leases.js';
import type { NotificationStorage } from '../notification-storage.js';
import type { DeliveryRoute } from './delivery-route.js';
import { DeliveryWorker, type DeliveryWorkerDeps } from './delivery-worker.js';
import type { Subscriber } from './subscriber.js';

export interface LeasedDeliveryDeps extends DeliveryWorkerDeps {
  readonly leases: Pick<NodeLeases, 'hold'>;
}

/** Lease that decides which node delivers to a subscriber. */
export interface DeliveryPlace {
  /** Name of the lease that the node has; several subscribers may share one. */
  readonly lease: string;
  /** Interval between two searches for dead letters whose retry was requested through another node. */
  readonly lookMs: number;
}

/**
 * The deliveries to one subscriber, made by this node for as long as it has the lease. When the lease is lost, the
 * attempt under way is aborted and nothing more is stored: another node continues from the stored state.
 */
export class LeasedDelivery {
  /** Undefined while another node delivers. */
  worker: DeliveryWorker | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: NodeJS.Timeout | undefined;
  private isStopped = false;
  private forgetLease = (): void => undefined;
  /** Settles after the last attempt to start or end a worker. */
  private changing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly deps: LeasedDeliveryDeps,
    readonly subscriber: Subscriber,
    private readonly route: DeliveryRoute,
    private readonly place: DeliveryPlace,
  ) {}

  /** Resolves when deliveries have started on this node, or another node has the lease. */
  static async start(
    deps: LeasedDeliveryDeps,
    subscriber: Subscriber,
    route: DeliveryRoute,
    place: DeliveryPlace,
  ): Promise<LeasedDelivery> {
    const delivery = new LeasedDelivery(deps, subscriber, route, place);
    await delivery.tryStart();
    return delivery;
  }

  /** Aborts the attempt under way; its delivery is sent again after the next start. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    clearInterval(this.looking);
    this.forgetLease();
    await this.changing;
    await this.worker?.stop();
  }

  private async tryStart(): Promise<void> {
    const { deps, subscriber, route, place } = this;
    const name = place.lease;
    const held = await deps.leases.hold(name);
    if (!held) {
      this.retryLater();
      return;
    }
    const storage = storageUnder(deps.storage, name, held);
    this.worker = await DeliveryWorker.start({ ...deps, storage }, subscriber, route);
    // Catches up with commits since the start of the worker.
    this.worker.onCommit();
    clearInterval(this.looking);
    if (!this.isStopped) this.looking = setInterval(() => void this.lookForRetries(), place.lookMs).unref();
    const onLoss = () => {
      this.changing = this.changing.then(() => this.endWorker());
    };
    // All deliveries to users share one lease, so its signal has many listeners.
    setMaxListeners(0, held.signal);
    this.forgetLease = () => held.signal.removeEventListener('abort', onLoss);
    if (held.signal.aborted) onLoss();
    else held.signal.addEventListener('abort', onLoss, { once: true });
  }

  private async endWorker(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.stop();
    this.retryLater();
  }

  /** Looks for requests that were made through other nodes. Requests through this node wake the worker directly. */
  private async lookForRetries(): Promise<void> {
    try {
      const { subscribers } = this.deps.storage.committed;
      if (await subscribers.findDeadLetterToRetry(this.subscriber.name)) this.worker?.lookAgain();
    } catch {
      // The worker reports unreachable storage, and the next search may succeed.
    }
  }

  private retryLater(): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.changing = this.changing
        .then(() => (this.isStopped ? undefined : this.tryStart()))
        .catch((error: unknown) => {
          this.deps.log.warn({ err: error, subscriber: this.subscriber.name }, 'deliveries not started; will retry');
          this.retryLater();
        });
    }, leaseRetryMs);
    this.timer.unref();
  }
}

/** Returns a storage that refuses writes without the lease. */
function storageUnder(storage: NotificationStorage, name: string, { token }: HeldLease): NotificationStorage {
  return {
    committed: storage.committed,
    onCommit: (listener) => storage.onCommit(listener),
    status: () => storage.status(),
    write: (work) =>
      storage.write(async (tx) => {
        await tx.leases.require(name, token);
        return work(tx);
      }),
  };
}
