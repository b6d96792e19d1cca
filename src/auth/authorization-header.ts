import { Fault } from '../kernel/fault.js';
import type { Credentials } from './authentication-provider.port.js';

/** The content of an `Authorization` header. */
export type ParsedAuthorization =
  | ({ readonly kind: 'password' } & Credentials)
  | { readonly kind: 'token'; readonly secret: string };

/**
 * Parses an `Authorization` header, Basic or Bearer.
 * @throws Fault unauthenticated `auth.malformed`
 */
export function parseAuthorization(header: string): ParsedAuthorization {
  const [, secret] = /^bearer +([\w.~+/-]+=*) *$/i.exec(header) ?? [];
  if (secret !== undefined) return { kind: 'token', secret };
  const [, encoded] = /^basic +([a-z0-9+/_-]+=*) *$/i.exec(header) ?? [];
  const decoded = decodeUtf8(Buffer.from(encoded ?? '', 'base64'));
  // A password may contain colons; a user name cannot.
  const colon = decoded?.indexOf(':') ?? -1;
  if (decoded === undefined || colon < 0) {
    throw new Fault(
      'unauthenticated',
      'auth.malformed',
      'The Authorization header is neither “Basic” followed by user:password in Base64 nor “Bearer” followed by a token.',
    );
  }
  return { kind: 'password', userName: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
