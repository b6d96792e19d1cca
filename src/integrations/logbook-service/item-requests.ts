import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../kernel/fault.js';
import type { ReceivedContent } from './response-content.js';
import { type ServiceConnection, TooLargeResponse, UnusableAnswer } from './service-connection.js';

const itemAttempts = 4;
/** Maximum number of attempts for an item that a service says it does not have. */
const missingAttempts = 2;
const firstDelayMs = 250;
/** Refusals that do not depend on the item. */
const notAboutItem = [400, 408, 429];
/** Time after a response for which the service counts as alive. */
const aliveMs = 5_000;
/**
 * Time for which the status of an item that does not exist is remembered. The attempts for one item take longer, so
 * that the last one is compared with a recent status.
 */
const rememberedMs = 1_000;
/** Id that no entry of any service has. */
export const absentId = 999_999_937;

/** Reason why a service does not provide an item. */
export class ItemFailure {
  /** @param status undefined when there was no response */
  constructor(
    readonly reason: string,
    readonly status: number | undefined,
    readonly isTooLarge = false,
    /** Whether the service does not have the item, as repeated requests have shown. */
    readonly isAbsent = false,
  ) {}

  /** Whether the status alone says that the service does not have the item. */
  get isNotFound(): boolean {
    return this.status === 404 || this.status === 410;
  }

  asAbsent(): ItemFailure {
    return new ItemFailure(this.reason, this.status, this.isTooLarge, true);
  }
}

/**
 * Requests single items, such as a file. If an item cannot be read although the service answers other requests, the
 * failure is returned, so that it does not end an import. If the service does not answer at all, a fault is thrown.
 */
export class ItemRequests {
  private aliveUntilMs = 0;
  /** Statuses of items that do not exist, by path. */
  private readonly absentStatuses = new Map<string, { readonly status: Promise<number>; readonly untilMs: number }>();

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
   * Requests an item that the service may not have. Some services respond to all of their errors with the status for
   * unknown items if the client is not signed in. The item counts as absent only if the request is refused repeatedly,
   * with the same status as for an item that does not exist. If there is only one attempt, the status for unknown items
   * is enough.
   * @param absentPath path of an item of the same kind that no service has
   * @throws as `getJson`
   */
  async find(
    path: string,
    absentPath: string,
    signal: AbortSignal,
    attempts = itemAttempts,
  ): Promise<{ readonly body: unknown } | ItemFailure> {
    for (let attempt = 1; ; attempt++) {
      const answer = await this.getJson(path, signal);
      if (!(answer instanceof ItemFailure) || !mayBeAbsent(answer)) return answer;
      if (attempts === 1 && answer.isNotFound) return answer.asAbsent();
      const isAsAbsent = answer.status === (await this.absentStatusOf(absentPath, signal));
      if (attempt >= Math.min(attempts, isAsAbsent && answer.isNotFound ? missingAttempts : attempts)) {
        return isAsAbsent ? answer.asAbsent() : answer;
      }
      await sleep(firstDelayMs * 2 ** (attempt - 1), undefined, { signal });
    }
  }

  /**
   * Returns whether a single failure means that the service does not have the item: its status says so, or is the one
   * for an entry that no service has.
   */
  async meansAbsent(failure: ItemFailure, signal: AbortSignal): Promise<boolean> {
    if (failure.status === undefined || failure.isNotFound) return failure.isNotFound;
    return failure.status === (await this.absentStatusOf(`/logs/${absentId}`, signal));
  }

  private absentStatusOf(absentPath: string, signal: AbortSignal): Promise<number> {
    const nowMs = performance.now();
    const known = this.absentStatuses.get(absentPath);
    if (known && nowMs < known.untilMs) return known.status;
    const status = this.statusOf(absentPath, signal);
    this.absentStatuses.set(absentPath, { status, untilMs: nowMs + rememberedMs });
    return status;
  }

  /** Returns the status of a refusal; 0 when the request is not refused, or there is no response. */
  private async statusOf(path: string, signal: AbortSignal): Promise<number> {
    const answer = await this.settle(() => this.connection.getJson(path, signal, 1), signal);
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

function mayBeAbsent({ status = 0 }: ItemFailure): boolean {
  return status >= 400 && status < 500 && !notAboutItem.includes(status);
}

function toFailure(error: unknown, signal: AbortSignal): ItemFailure {
  signal.throwIfAborted();
  if (error instanceof UnusableAnswer) return new ItemFailure(error.message, error.status);
  if (error instanceof TooLargeResponse) return new ItemFailure(error.message, undefined, true);
  if (error instanceof Fault) return new ItemFailure(error.message, undefined);
  throw error;
}
