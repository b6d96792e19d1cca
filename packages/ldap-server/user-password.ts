import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';
import { quote } from './quote.js';

/** A value of `userPassword`, parsed by its storage scheme. */
export type UserPassword =
  | { readonly kind: 'plain'; readonly sha256: Buffer }
  | { readonly kind: DigestKind; readonly digest: Buffer; readonly salt: Buffer }
  | { readonly kind: 'bcrypt'; readonly hash: string; readonly cost: number };

type DigestKind = 'sha1' | 'sha256' | 'sha512';

const digestBytes: Readonly<Record<DigestKind, number>> = { sha1: 20, sha256: 32, sha512: 64 };
const digestSchemes = new Map<string, { kind: DigestKind; isSalted: boolean }>([
  ['SHA', { kind: 'sha1', isSalted: false }],
  ['SSHA', { kind: 'sha1', isSalted: true }],
  ['SHA256', { kind: 'sha256', isSalted: false }],
  ['SSHA256', { kind: 'sha256', isSalted: true }],
  ['SHA512', { kind: 'sha512', isSalted: false }],
  ['SSHA512', { kind: 'sha512', isSalted: true }],
]);
/**
 * Maximum cost of bcrypt. Every bind takes as long as the highest cost in the file, and 14 takes more than a second.
 */
const maxBcryptCost = 14;

/** @throws Error, which does not contain the value, when the storage scheme is not supported or the value is invalid */
export function parseUserPassword(value: Buffer): UserPassword {
  const text = isUtf8(value) ? value.toString() : '';
  const [, scheme, rest = ''] = /^\{([A-Za-z0-9_./-]+)\}(.*)$/s.exec(text) ?? [];
  if (scheme === undefined) return text.startsWith('$2') ? bcrypt(text) : plain(value);
  const name = scheme.toUpperCase();
  const digestScheme = digestSchemes.get(name);
  if (digestScheme) return digest(rest, name, digestScheme);
  if (name === 'BCRYPT' || (name === 'CRYPT' && rest.startsWith('$2'))) return bcrypt(rest);
  if (name === 'CLEARTEXT') return plain(Buffer.from(rest));
  if (name === 'CRYPT') throw new Error('the only supported variant of {CRYPT} is bcrypt ($2b$…).');
  throw new Error(
    `the password scheme {${quote(scheme, 20).slice(1, -1)}} is not supported. Use bcrypt, {SSHA512}, {SSHA256} or {SSHA}.`,
  );
}

function plain(value: Buffer): UserPassword {
  if (value.length === 0) throw new Error('the password is empty.');
  return { kind: 'plain', sha256: createHash('sha256').update(value).digest() };
}

function digest(encoded: string, name: string, scheme: { kind: DigestKind; isSalted: boolean }): UserPassword {
  const bytes = Buffer.from(encoded, 'base64');
  const length = digestBytes[scheme.kind];
  const isComplete = scheme.isSalted ? bytes.length > length : bytes.length === length;
  if (!isComplete || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) {
    throw new Error(`the password is not a valid {${name}} value.`);
  }
  return { kind: scheme.kind, digest: bytes.subarray(0, length), salt: bytes.subarray(length) };
}

function bcrypt(hash: string): UserPassword {
  const cost = Number(/^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/.exec(hash)?.[1]);
  if (!(cost >= 4)) throw new Error('the password is not a valid bcrypt hash ($2b$10$…).');
  if (cost > maxBcryptCost) throw new Error(`a bcrypt cost of ${cost} is too slow; use at most ${maxBcryptCost}.`);
  return { kind: 'bcrypt', hash, cost };
}

/** Returns a key that is the same for all stored passwords with the same comparison cost. */
export function costKey(password: UserPassword): string {
  return password.kind === 'bcrypt' ? `bcrypt ${password.cost}` : password.kind;
}

/** Returns a stored password that no password matches, with the same comparison cost. */
export function toDummyHash(password: UserPassword): UserPassword {
  switch (password.kind) {
    case 'plain':
      return { kind: 'plain', sha256: Buffer.alloc(digestBytes.sha256) };
    case 'bcrypt':
      return { ...password, hash: `${password.hash.slice(0, 7)}${'.'.repeat(53)}` };
    default:
      return { ...password, digest: Buffer.alloc(digestBytes[password.kind]), salt: Buffer.alloc(8) };
  }
}

/** Compares a password with a stored digest in constant time. */
export function matchesDigest(stored: Exclude<UserPassword, { kind: 'bcrypt' }>, password: Buffer): boolean {
  if (stored.kind === 'plain') {
    return timingSafeEqual(createHash('sha256').update(password).digest(), stored.sha256);
  }
  return timingSafeEqual(createHash(stored.kind).update(password).update(stored.salt).digest(), stored.digest);
}
