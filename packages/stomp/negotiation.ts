import type { StompVersion } from './frame.js';
import { StompError } from './stomp-error.js';

export const sessionLimits = {
  /** Time from the opening of the connection to its CONNECT frame. */
  connectMs: 10_000,
  /** Time from the first byte of a frame to its last. */
  frameMs: 30_000,
  /** Minimum interval of heart-beats, in each direction. */
  heartBeatMs: 30_000,
  subscriptions: 100,
  transactions: 10,
  transactionFrames: 100,
  /** Maximum number of bytes that wait for a sign-in, or for the end of transactions. */
  waitingBytes: 131_072,
} as const;

/** Intervals at which each side sends at least one byte; 0 for never. */
export interface HeartBeat {
  readonly sendMs: number;
  readonly expectMs: number;
}

/** Chooses the highest common version; without an `accept-version` header, 1.0. @throws StompError */
export function negotiateVersion(accepted: string | undefined): StompVersion {
  if (accepted === undefined) return '1.0';
  const offered = new Set(accepted.split(',').map((version) => version.trim()));
  for (const version of ['1.2', '1.1', '1.0'] as const) if (offered.has(version)) return version;
  throw new StompError('None of these STOMP versions is supported. Use 1.0, 1.1 or 1.2.');
}

/** @throws StompError */
export function negotiateHeartBeat(header = '0,0'): HeartBeat {
  const [, can, wants] = /^ *(\d{1,9}) *, *(\d{1,9}) *$/.exec(header)?.map(Number) ?? [];
  if (can === undefined || wants === undefined) {
    throw new StompError('The heart-beat header must be two numbers of milliseconds, such as “0,30000”.');
  }
  const { heartBeatMs } = sessionLimits;
  return {
    sendMs: wants === 0 ? 0 : Math.max(heartBeatMs, wants),
    expectMs: can === 0 ? 0 : Math.max(heartBeatMs, can),
  };
}

const burst = 500;
const perSecond = 100;
/** Description of the limit, for messages. */
export const rateLimit = `${burst} frames in a burst, then ${perSecond} a second`;

/** Limits the rate at which a client sends: up to `burst` messages in a burst, then `perSecond`. */
export class TokenBucket {
  private left = burst;

  constructor(private atMs: number) {}

  /** Returns false when the limit is exceeded. */
  consume(messages: number, nowMs: number): boolean {
    this.left = Math.min(burst, this.left + ((nowMs - this.atMs) / 1_000) * perSecond) - messages;
    this.atMs = nowMs;
    return this.left >= 0;
  }
}
