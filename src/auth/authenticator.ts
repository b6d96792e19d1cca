import { Fault } from '../kernel/fault.js';
import type { Principal } from './principal.js';
import type { AuthenticationProvider, Credentials } from './provider.port.js';
import type { Sessions } from './sessions.js';

const maxCredentialLength = 1_024;

/** Tells who is asking, from what a request carries. */
export class Authenticator {
  constructor(
    /** Tried in this order. */
    private readonly providers: readonly AuthenticationProvider[],
    readonly sessions: Sessions,
  ) {}

  /** @throws Fault unauthenticated `auth.bad-credentials` */
  async signIn(credentials: Credentials): Promise<Principal> {
    const { userName, password } = credentials;
    const usable =
      userName !== '' && password !== '' && Math.max(userName.length, password.length) <= maxCredentialLength;
    for (const provider of usable ? this.providers : []) {
      const result = await provider.authenticate(credentials);
      if (result.kind === 'accepted') return result.identity;
    }
    throw new Fault('unauthenticated', 'auth.bad-credentials', 'The user name or the password is wrong.');
  }

  /**
   * The principal of an `Authorization` header or, without one, of a session.
   * @throws Fault unauthenticated when the header is malformed or its credentials are wrong
   */
  async identify(authorization: string | undefined, sessionToken: string | undefined): Promise<Principal | undefined> {
    if (authorization !== undefined) return this.signIn(parseBasic(authorization));
    return sessionToken === undefined ? undefined : this.sessions.find(sessionToken);
  }
}

/** @throws Fault unauthenticated `auth.malformed` */
function parseBasic(header: string): Credentials {
  const [, encoded] = /^basic +([a-z0-9+/_-]+=*) *$/i.exec(header) ?? [];
  const decoded = decodeUtf8(Buffer.from(encoded ?? '', 'base64'));
  const colon = decoded?.indexOf(':') ?? -1;
  if (decoded === undefined || colon < 0) {
    throw new Fault(
      'unauthenticated',
      'auth.malformed',
      'The Authorization header is not “Basic” followed by user:password in Base64.',
    );
  }
  return { userName: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
