import { hash, randomBytes } from 'node:crypto';
import {
  canonicalField,
  type DigestibleEntry,
  isGroupProperty,
  listFields,
  propertiesIndex,
  type ReplyLink,
} from './entry-fields.js';

/** The digest of one version of an entry, and the salts with which it can be recomputed. */
export interface EntryDigest {
  /**
   * Salts of the fields, separated by dots: 22 random characters each, or the 64 hexadecimal digits of the digest for a
   * field that was removed. Removed content cannot be guessed by trying candidates, because its salt is gone. If the
   * version replaced one that was not in a group yet, `~` and the former salt of the properties follow.
   */
  readonly salts: string;
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
}

const saltLength = 22;
const digestLength = 64;
const beforeFormer = '~';

/** Computes the digest of a new version of an entry, with fresh salts. */
export function digestEntry(entry: DigestibleEntry, inReplyTo: number | null): EntryDigest {
  let [salts, digests] = ['', ''];
  for (const field of listFields(entry, inReplyTo)) {
    const salt = newSalt();
    salts = salts === '' ? salt : `${salts}.${salt}`;
    digests += digestField(salt, canonicalField(field));
  }
  return { salts, digest: combine(digests) };
}

/**
 * Computes the digest of a version that only joined a group, so that the version before it is not kept. All fields but
 * the properties keep their salts: `digestFormer` can then compute the digest of the version before.
 * @param formerSalts salts of the version before; null: no record of it exists
 */
export function digestAnnotated(
  entry: DigestibleEntry,
  inReplyTo: number | null,
  formerSalts: string | null,
): EntryDigest {
  const fields = listFields(entry, inReplyTo);
  const former = formerSalts ? listSalts(formerSalts) : [];
  if (former.length !== fields.length) return digestEntry(entry, inReplyTo);
  const salts = former.map((salt, place) => (place === propertiesIndex ? newSalt() : salt)).join('.');
  const digest = redigestEntry(entry, salts, inReplyTo) as string;
  return { salts: `${salts}${beforeFormer}${former[propertiesIndex]}`, digest };
}

/**
 * Computes the digest of the version that such a version replaced: the same content without the group.
 * @returns undefined when it replaced none
 */
export function digestFormer(entry: DigestibleEntry, salts: string, inReplyTo: ReplyLink): string | undefined {
  const [, formerSalt] = salts.split(beforeFormer);
  if (formerSalt === undefined) return undefined;
  const former = listSalts(salts).with(propertiesIndex, formerSalt);
  return redigestEntry(withoutGroup(entry), former.join('.'), inReplyTo);
}

const withoutGroup = (entry: DigestibleEntry): DigestibleEntry => ({
  ...entry,
  properties: entry.properties.filter((property) => !isGroupProperty(property.name)),
});

/**
 * Computes the digest of a version that is stored, with the salts stored with it.
 * @returns undefined when the salts are not those of such an entry
 */
export function redigestEntry(entry: DigestibleEntry, salts: string, inReplyTo: ReplyLink): string | undefined {
  const fields = listFields(entry, inReplyTo);
  const stored = listSalts(salts);
  if (stored.length !== fields.length) return undefined;
  return combine(fields.map((field, at) => digestOf(canonicalField(field), stored[at] ?? '')).join(''));
}

/** Lists for each field its salt, or the digest that took its place. */
export function listSalts(salts: string): string[] {
  return (salts.split(beforeFormer)[0] as string).split('.');
}

/** Returns whether this is the digest of a field that was removed, and not the salt of one. */
export function isRemoved(salt: string): boolean {
  return salt.length === digestLength;
}

/** Replaces the salts of some fields by their digests, before the content of these fields is removed. */
export function removeSalts(entry: DigestibleEntry, salts: string, isToRemove: (place: number) => boolean): string {
  // The head, which has the reply link, cannot be removed.
  const fields = listFields(entry, undefined);
  const kept = listSalts(salts).map((salt, at) => {
    const field = fields[at];
    return field && isToRemove(at) ? digestOf(canonicalField(field), salt) : salt;
  });
  const [, formerSalt] = salts.split(beforeFormer);
  if (formerSalt === undefined) return kept.join('.');
  const formerProperties = listFields(withoutGroup(entry), undefined)[propertiesIndex];
  const former =
    formerProperties && isToRemove(propertiesIndex)
      ? digestOf(canonicalField(formerProperties), formerSalt)
      : formerSalt;
  return `${kept.join('.')}${beforeFormer}${former}`;
}

function digestOf(canonical: string, salt: string): string {
  return isRemoved(salt) ? salt : digestField(salt, canonical);
}

/** The first word separates the kinds of hashed data: no digest of one kind is one of another. */
function digestField(salt: string, canonical: string): string {
  return hash('sha256', `field ${salt} ${canonical}`, 'hex');
}

function combine(digests: string): string {
  return hash('sha256', `content ${digests}`, 'hex');
}

/** Random characters are drawn for many salts together: each call costs as much as a digest. */
let pool = '';
let used = 0;

function newSalt(): string {
  if (used + saltLength > pool.length) {
    pool = randomBytes(3_300).toString('base64url');
    used = 0;
  }
  used += saltLength;
  return pool.slice(used - saltLength, used);
}
