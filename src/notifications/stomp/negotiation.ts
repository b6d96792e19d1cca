import { StompError, type StompVersion } from './frame.js';

export const sessionLimits = {
  connectMs: 10_000,
  /** In which a frame that has begun arrives. */
  frameMs: 30_000,
  beatMs: 30_000,
  subscriptions: 100,
  transactions: 10,
  /** What may wait for a sign-in or the end of transactions. */
  waitingBytes: 131_072,
} as const;

/** How often each side hears from the other; 0: never. */
export interface HeartBeat {
  readonly sendMs: number;
  readonly expectMs: number;
}

/** @throws StompError */
export function negotiateVersion(accepted: string | undefined): StompVersion {
  if (accepted === undefined) return '1.0';
  const offered = new Set(accepted.split(',').map((version) => version.trim()));
  for (const version of ['1.2', '1.1', '1.0'] as const) if (offered.has(version)) return version;
  throw new StompError('The versions of STOMP that are spoken here are 1.0, 1.1 and 1.2.');
}

/** @throws StompError */
export function negotiateHeartBeat(header = '0,0'): HeartBeat {
  const [, can, wants] = /^ *(\d{1,9}) *, *(\d{1,9}) *$/.exec(header)?.map(Number) ?? [];
  if (can === undefined || wants === undefined) throw new StompError('heart-beat is not two numbers.');
  const { beatMs } = sessionLimits;
  return { sendMs: wants === 0 ? 0 : Math.max(beatMs, wants), expectMs: can === 0 ? 0 : Math.max(beatMs, can) };
}

const burst = 500;
const perSecond = 100;

/** How much a client may send: many messages at once, then so many a second. */
export class TokenBucket {
  private left = burst;

  constructor(private atMs: number) {}

  /** False when there is not so much left. */
  spend(messages: number, nowMs: number): boolean {
    this.left = Math.min(burst, this.left + ((nowMs - this.atMs) / 1_000) * perSecond) - messages;
    this.atMs = nowMs;
    return this.left >= 0;
  }
}
