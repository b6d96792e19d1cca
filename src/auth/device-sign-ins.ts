import type { Clock } from '../kernel/clock.js';
import { Fault } from '../kernel/fault.js';
import { limitFault } from '../kernel/limit.js';
import { networkPrefix } from '../kernel/network-prefix.js';
import { counted } from '../kernel/text.js';
import type { ApiTokens, TokenRequest } from './api-tokens.js';
import type { Authenticator } from './authenticator.js';
import type { DeviceCode, DevicePoll, DeviceSignIn } from './device-sign-in.port.js';
import { openSecret, sealSecret } from './sealed-token.js';
import { hashSecret } from './secret.js';
import type { FailureCounter, FailureCounts } from './sign-in-state.port.js';
import type { ApiToken } from './token-store.port.js';

const windowMs = 600_000;
/** Maximum number of sign-ins that begin within the window, by client network and in total. */
const maxPerNetwork = 100;
const maxTotal = 1_000;
/** Maximum lifetime of a sign-in, whatever the provider allows. */
const maxLifetimeMs = 1_800_000;
const maxIntervalMs = 60_000;
/** Added to the interval of a client that polls too fast (RFC 8628, section 3.5). */
const slowDownMs = 5_000;
/** Tolerance: the network can shorten the time between two polls. */
const jitterMs = 1_000;
const purpose = 'device sign-in';

export interface DeviceSignInsDeps {
  /** Undefined when no OpenID Connect provider is configured. */
  readonly provider: DeviceSignIn | undefined;
  readonly authenticator: Pick<Authenticator, 'acceptIdentity' | 'auditRefusal'>;
  readonly tokens: Pick<ApiTokens, 'create'>;
  readonly counts: Pick<FailureCounts, 'begin' | 'end'>;
  readonly clock: Clock;
  /** Returns a secret that all nodes share and that survives a restart. */
  readonly secret: () => Promise<string>;
}

/** Content of a handle. */
interface Sealed {
  readonly deviceCode: string;
  readonly begunMs: number;
  readonly expiresMs: number;
  readonly intervalMs: number;
  readonly request: TokenRequest;
}

type Confirmation = Exclude<DevicePoll, { readonly kind: 'over' }>;

export interface BegunDeviceSignIn extends Omit<DeviceCode, 'deviceCode'> {
  readonly handle: string;
}

export type PolledDeviceSignIn =
  | { readonly kind: 'pending'; readonly intervalMs: number }
  | { readonly kind: 'done'; readonly token: ApiToken; readonly secret: string };

/**
 * Sign-ins of programs that a person confirms in a browser. The service stores none of them: the client keeps the
 * encrypted state as its handle, so that any node can continue the sign-in, even after a restart.
 */
export class DeviceSignIns {
  constructor(private readonly deps: DeviceSignInsDeps) {}

  /**
   * Begins a sign-in, after which the program gets the requested token.
   * @throws Fault missing `auth.no-device-sign-in`; busy `auth.throttled`; unavailable `auth.oidc-unavailable`
   */
  async begin(request: TokenRequest, from: string): Promise<BegunDeviceSignIn> {
    const { clock, secret } = this.deps;
    const provider = this.getProvider();
    const key = await secret();
    const begunMs = clock.nowMs();
    const begun = await this.countBegun(from, () => provider.beginDevice());
    if (begun.kind !== 'begun') throw noDeviceSignIn(begun.reason);
    const { deviceCode, ...code } = begun.code;
    const lifetimeMs = Math.min(code.lifetimeMs, maxLifetimeMs);
    const intervalMs = Math.min(code.intervalMs, maxIntervalMs);
    const sealed: Sealed = { deviceCode, begunMs, expiresMs: begunMs + lifetimeMs, intervalMs, request };
    return { ...code, lifetimeMs, intervalMs, handle: sealSecret(JSON.stringify(sealed), key, purpose) };
  }

  /**
   * Returns the token once a person has confirmed the sign-in. A client that polls too fast gets a longer interval, and
   * its poll is not passed on to the provider.
   * @throws Fault unauthenticated `auth.device-sign-in-over`, `auth.oidc-refused`; missing `auth.no-device-sign-in`;
   *   unavailable `auth.oidc-unavailable`; invalid `token.too-many`
   */
  async poll(handle: string, from: string): Promise<PolledDeviceSignIn> {
    const { authenticator, clock, counts, tokens } = this.deps;
    const provider = this.getProvider();
    const sealed = await this.open(handle);
    if (!sealed || sealed.expiresMs <= clock.nowMs()) throw deviceSignInOver();
    const { deviceCode, intervalMs, request } = sealed;
    const tooFast = { kind: 'pending', intervalMs: intervalMs + slowDownMs } as const;
    const begun = await counts.begin([pollCounter(deviceCode, intervalMs)]);
    if (begun.kind !== 'begun') return tooFast;
    try {
      const polled = await this.ask(provider, sealed, from);
      if (polled.kind !== 'signed-in') return polled.kind === 'too-fast' ? tooFast : { kind: 'pending', intervalMs };
      const account = await authenticator.acceptIdentity(polled.signedIn, 'oidc', from);
      return { kind: 'done', ...(await tokens.create(account, request)) };
    } finally {
      // An error here would lose the token that was created. The count expires even if it is not ended.
      await counts.end(begun.attempt, true).catch(() => undefined);
    }
  }

  private getProvider(): DeviceSignIn {
    if (!this.deps.provider) throw noDeviceSignIn('no OpenID Connect provider is configured');
    return this.deps.provider;
  }

  /** Asks the provider, and records a refusal. */
  private async ask(provider: DeviceSignIn, { deviceCode, begunMs }: Sealed, from: string): Promise<Confirmation> {
    try {
      const polled = await provider.pollDevice(deviceCode, begunMs);
      if (polled.kind === 'over') throw deviceSignInOver();
      return polled;
    } catch (error) {
      if (error instanceof Fault) this.deps.authenticator.auditRefusal('oidc', from, error.code);
      throw error;
    }
  }

  private async open(handle: string): Promise<Sealed | undefined> {
    const text = openSecret(handle, await this.deps.secret(), purpose);
    return text === undefined ? undefined : (JSON.parse(text) as Sealed);
  }

  /** Bounds the codes that the provider has to keep, because any client can begin a sign-in. */
  private async countBegun<T>(from: string, begin: () => Promise<T>): Promise<T> {
    const { counts } = this.deps;
    const network = networkPrefix(from);
    const ofNetwork = { key: `device ${network}`, failures: maxPerNetwork, windowMs };
    const begun = await counts.begin([ofNetwork, { key: 'device', failures: maxTotal, windowMs }]);
    if (begun.kind !== 'begun') {
      const isOfNetwork = begun.kind === 'reached' && begun.reached.key === ofNetwork.key;
      const waitMs = begun.kind === 'reached' ? begun.reached.waitMs : 1_000;
      throw tooMany(
        isOfNetwork ? maxPerNetwork : maxTotal,
        isOfNetwork ? `the address ${network}` : 'all clients',
        waitMs,
      );
    }
    try {
      return await begin();
    } finally {
      await counts.end(begun.attempt, true);
    }
  }
}

/** Counts by the code and not by the handle, of which a client can make variants. */
function pollCounter(deviceCode: string, intervalMs: number): FailureCounter {
  return { key: `device poll ${hashSecret(deviceCode)}`, failures: 1, windowMs: Math.max(0, intervalMs - jitterMs) };
}

function tooMany(limit: number, countedFor: string, waitMs: number): Fault {
  const retryAfterSeconds = Math.min(60, Math.max(1, Math.ceil(waitMs / 1_000)));
  const amount = `${counted(limit, 'sign-in')} in ${counted(windowMs / 60_000, 'minute')}`;
  const advice = `Try again in ${retryAfterSeconds} s.`;
  const details = {
    refused: 'Too many sign-ins were begun.',
    limit: { amount, setting: undefined, countedFor },
    advice,
  };
  return limitFault('busy', 'auth.throttled', details, { retryAfterSeconds });
}

/** Returns the fault of a logbook where programs cannot sign in with a code. */
function noDeviceSignIn(reason: string): Fault {
  return new Fault(
    'missing',
    'auth.no-device-sign-in',
    `This logbook has no sign-in with a code: ${reason}. Sign in to the logbook in a browser and create a token there.`,
  );
}

function deviceSignInOver(): Fault {
  return new Fault(
    'unauthenticated',
    'auth.device-sign-in-over',
    'This sign-in has expired, is already finished, or was not begun here. Begin a new one.',
  );
}
