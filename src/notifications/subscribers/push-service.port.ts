import type { Delivery, Outcome } from './sender.port.js';

/** Subscription of a browser at its push service. */
export interface PushTarget {
  /** Address of the browser at the push service of its maker. Only its user may see it. */
  readonly endpoint: string;
  /** Keys with which messages to it are encrypted, in base64url. */
  readonly publicKey: string;
  readonly secret: string;
}

/** `gone`: the browser no longer has the subscription. */
export type PushOutcome = Outcome | { readonly kind: 'gone' };

export interface PushMessage {
  readonly delivery: Delivery;
  /** Id of the thread of all changes; undefined if they belong to several threads. */
  readonly thread: string | undefined;
}

/** Sends notifications to browsers through the push services of their makers. */
export interface PushService {
  /** Returns the key with which browsers subscribe, in base64url. */
  findPublicKey(): Promise<string>;
  /** Returns why messages to an endpoint are refused, with advice; undefined: they are not refused. */
  findRefusal(endpoint: string): string | undefined;
  /** Whether messages can be encrypted with the keys of the browser. */
  areKeys(keys: Pick<PushTarget, 'publicKey' | 'secret'>): boolean;
  /** Makes one attempt, within its own time limit. Resolves soon after `signal` aborts. Never rejects. */
  send(browser: PushTarget, message: PushMessage, signal: AbortSignal): Promise<PushOutcome>;
}
