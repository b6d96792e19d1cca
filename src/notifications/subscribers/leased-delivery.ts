import { type HeldLease, leaseRetryMs, type NodeLeases } from '../../kernel/node-leases.js';
import type { NotificationStorage } from '../notification-storage.js';
import { DeliveryWorker, type DeliveryWorkerDeps } from './delivery-worker.js';
import type { Sender } from './sender.port.js';
import type { Subscriber } from './subscriber.js';

/** How often the storage is asked for dead letters that an administrator wants to be retried, through any node. */
const lookMs = 3_000;

export interface LeasedDeliveryDeps extends DeliveryWorkerDeps {
  readonly leases: Pick<NodeLeases, 'hold'>;
}

/**
 * The deliveries to one subscriber, made by this node for as long as it has the lease of the subscriber. When the lease
 * is lost, the attempt under way is aborted and nothing more is stored: another node continues from the stored state.
 */
export class LeasedDelivery {
  /** Undefined while another node delivers. */
  worker: DeliveryWorker | undefined;
  private timer: NodeJS.Timeout | undefined;
  private looking: NodeJS.Timeout | undefined;
  private isStopped = false;
  /** Settles when the last attempt to start or end a worker has ended. */
  private changing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly deps: LeasedDeliveryDeps,
    readonly subscriber: Subscriber,
    private readonly sender: Sender,
  ) {}

  /** Resolves when deliveries have started, here or, because it has the lease, on another node. */
  static async start(deps: LeasedDeliveryDeps, subscriber: Subscriber, sender: Sender): Promise<LeasedDelivery> {
    const delivery = new LeasedDelivery(deps, subscriber, sender);
    await delivery.tryStart();
    return delivery;
  }

  /** Aborts the attempt under way; its delivery is sent again after the next start. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    clearInterval(this.looking);
    await this.changing;
    await this.worker?.stop();
  }

  private async tryStart(): Promise<void> {
    const { deps, subscriber, sender } = this;
    const name = `subscriber-${subscriber.name}`;
    const held = await deps.leases.hold(name);
    if (!held) {
      this.retryLater();
      return;
    }
    const storage = storageUnder(deps.storage, name, held);
    this.worker = await DeliveryWorker.start({ ...deps, storage }, subscriber, sender);
    // Catches up with commits since the start of the worker.
    this.worker.onCommit();
    clearInterval(this.looking);
    if (!this.isStopped) this.looking = setInterval(() => void this.lookForRetries(), lookMs).unref();
    const onLoss = () => {
      this.changing = this.changing.then(() => this.endWorker());
    };
    if (held.signal.aborted) onLoss();
    else held.signal.addEventListener('abort', onLoss, { once: true });
  }

  private async endWorker(): Promise<void> {
    const { worker } = this;
    this.worker = undefined;
    await worker?.stop();
    this.retryLater();
  }

  /** A request that came to this node has woken the worker already. */
  private async lookForRetries(): Promise<void> {
    try {
      const { subscribers } = this.deps.storage.committed;
      if (await subscribers.findDeadLetterToRetry(this.subscriber.name)) this.worker?.onDeadLetterRetry();
    } catch {
      // The worker reports unreachable storage; the next look may find something.
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

/** Returns a storage in which nothing is written without the lease. */
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
