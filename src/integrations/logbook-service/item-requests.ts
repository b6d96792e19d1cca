import { Fault } from '../../kernel/fault.js';
import type { ReceivedContent } from './response-content.js';
import { type ServiceConnection, TooLargeResponse, UnusableAnswer } from './service-connection.js';

const itemAttempts = 4;
/** Time after a response for which the service counts as alive. */
const aliveMs = 5_000;
/** Id that no entry of any service has. */
const absentId = 999_999_937;

/** Reason why a service does not provide an item. */
export class ItemFailure {
  /** @param status undefined when there was no response */
  constructor(
    readonly reason: string,
    readonly status: number | undefined,
    readonly isTooLarge = false,
  ) {}
}

/**
 * Requests single items, such as a file. If an item cannot be read although the service answers other requests, the
 * failure is returned, so that it does not end an import. If the service does not answer at all, a fault is thrown.
 */
export class ItemRequests {
  private aliveUntilMs = 0;
  private absent: Promise<number> | undefined;

  constructor(private readonly connection: ServiceConnection) {}

  /** @throws Fault unavailable `import.source-unavailable`, `import.source-refused` */
  getJson(
    path: string,
    signal: AbortSignal,
    attempts = itemAttempts,
  ): Promise<{ readonly body: unknown } | ItemFailure> {
    return this.settle(async () => ({ body: await this.connection.getJson(path, signal, attempts) }), signal);
  }

  /** @throws as `getJson` */
  open(path: string, signal: AbortSignal): Promise<ReceivedContent | ItemFailure> {
    return this.settle(() => this.connection.open(path, signal, itemAttempts), signal);
  }

  /**
   * Whether the failure means that the item does not exist. Some services respond with another status than 404 for
   * unknown items if the client is not signed in.
   */
  async isMissing({ status }: ItemFailure, signal: AbortSignal): Promise<boolean> {
    if (status === undefined) return false;
    if (status === 404 || status === 410) return true;
    this.absent ??= this.findAbsentStatus(signal);
    return status === (await this.absent);
  }

  /** Returns the status with which the service responds for an entry that does not exist; 0 without a response. */
  private async findAbsentStatus(signal: AbortSignal): Promise<number> {
    const answer = await this.settle(() => this.connection.getJson(`/logs/${absentId}`, signal, 1), signal);
    return answer instanceof ItemFailure ? (answer.status ?? 0) : 0;
  }

  private async settle<T>(request: () => Promise<T>, signal: AbortSignal): Promise<T | ItemFailure> {
    try {
      return await request();
    } catch (error) {
      const failure = toFailure(error, signal);
      if (failure.status !== undefined && performance.now() < this.aliveUntilMs) return failure;
      // Waits until the service answers again.
      await this.connection.getJson('/logs/search?size=1', signal);
      this.aliveUntilMs = performance.now() + aliveMs;
      if (failure.isTooLarge || (failure.status !== undefined && failure.status < 500)) return failure;
    }
    return request().catch((error: unknown) => toFailure(error, signal));
  }
}

function toFailure(error: unknown, signal: AbortSignal): ItemFailure {
  signal.throwIfAborted();
  if (error instanceof UnusableAnswer) return new ItemFailure(error.message, error.status);
  if (error instanceof TooLargeResponse) return new ItemFailure(error.message, undefined, true);
  if (error instanceof Fault) return new ItemFailure(error.message, undefined);
  throw error;
}
