import { createHash, hash, randomBytes } from 'node:crypto';
import {
  attachmentsIndex,
  canonicalField,
  canonicalTexts,
  type DigestibleEntry,
  type EncodedTexts,
  headField,
  isGroupProperty,
  listFields,
  propertiesIndex,
  type ReplyLink,
  textIndex,
} from './entry-fields.js';
import { decodeExtent, type Extent, encodeExtent, extentOf, isExtended, onlyJoined, withExtents } from './extents.js';

/** The digest of one version of an entry, and the salts that are needed to recompute it. */
export interface EntryDigest {
  /**
   * Salts of the fields, separated by dots: 22 random characters each or, for a removed field, the 64 hexadecimal
   * digits of its digest. Trying candidates cannot reveal removed content, because its salt was removed, too. If
   * the version replaced one that was not in a group yet, `~` and the former salt of the properties follow. If it
   * extended other versions, `^` and their extents follow, see `extents.ts`.
   */
  readonly salts: string;
  /** SHA-256 in hexadecimal. */
  readonly digest: string;
}

const saltLength = 22;
const digestLength = 64;
const beforeFormer = '~';
const beforeExtents = '^';

/** The salts, without the extents that may follow them. */
const partBefore = (salts: string): string => salts.split(beforeExtents)[0] as string;

/** Lists the extents of the versions that a version extended, oldest first. */
export function listExtents(salts: string): Extent[] {
  const [, extents] = salts.split(beforeExtents);
  return extents === undefined ? [] : extents.split(';').map(decodeExtent);
}

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
 * Computes the digest of a version that only joined a group or extends the previous version, which is not kept. Fields
 * keep their salts, so that `listFormerDigests` can compute the digests of the previous versions.
 * @param formerSalts salts of the previous version; null: no record of it exists
 * @param grown the previous version, and the texts of `entry` if they are encoded; undefined: `entry` only joined a
 *   group
 */
export function digestAnnotated(
  entry: DigestibleEntry,
  inReplyTo: number | null,
  formerSalts: string | null,
  grown?: { readonly former: DigestibleEntry; readonly texts?: EncodedTexts | undefined },
): EntryDigest {
  const former = grown?.former;
  const isGrowing = former && formerSalts && (formerSalts.includes(beforeExtents) || !onlyJoined(former, entry));
  if (isGrowing && isExtended(former, entry)) {
    return digestExtended(entry, inReplyTo, { entry: former, salts: formerSalts }, grown?.texts);
  }
  return digestJoined(entry, inReplyTo, formerSalts);
}

function digestExtended(
  entry: DigestibleEntry,
  inReplyTo: number | null,
  former: { readonly entry: DigestibleEntry; readonly salts: string },
  texts: EncodedTexts | undefined,
): EntryDigest {
  const present = listSalts(former.salts);
  const extent = extentOf(former.entry, present[propertiesIndex] ?? '', entry);
  const isUnchanged = entry.properties.length === extent.properties && extent.formers.length === 0;
  const salts = listFields(entry, inReplyTo)
    .map((_, place) => (place === propertiesIndex && !isUnchanged ? newSalt() : (present[place] ?? newSalt())))
    .join('.');
  const extents = [...extentsBefore(former.entry, former.salts), encodeExtent(extent)];
  const digest = redigestWith(entry, salts, [inReplyTo], texts)[0] as string;
  return { salts: `${salts}${beforeExtents}${extents.join(';')}`, digest };
}

/** Returns the extents of the previous versions in encoded form, because decoding them would slow down long runs. */
function extentsBefore(entry: DigestibleEntry, salts: string): string[] {
  const [own = '', extents] = salts.split(beforeExtents);
  const [, formerSalt] = own.split(beforeFormer);
  if (formerSalt !== undefined) return [encodeExtent(extentOf(withoutGroup(entry), formerSalt, entry))];
  return extents === undefined ? [] : [extents];
}

function digestJoined(entry: DigestibleEntry, inReplyTo: number | null, formerSalts: string | null): EntryDigest {
  const fields = listFields(entry, inReplyTo);
  const former = formerSalts ? listSalts(formerSalts) : [];
  if (former.length !== fields.length) return digestEntry(entry, inReplyTo);
  const salts = former.map((salt, place) => (place === propertiesIndex ? newSalt() : salt)).join('.');
  const digest = redigestEntry(entry, salts, inReplyTo) as string;
  return { salts: `${salts}${beforeFormer}${former[propertiesIndex]}`, digest };
}

/**
 * Computes the digest of the version that joining a group replaced: the same content without the group.
 * @returns undefined when no version was replaced
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
 * Computes the digests of the versions that an annotated version replaced, oldest first: for each version, its digests
 * with each of these reply links.
 * @returns an empty list when no version was replaced
 */
export function listFormerDigests(entry: DigestibleEntry, salts: string, replies: readonly ReplyLink[]): string[][] {
  if (salts.includes(beforeFormer)) return [replies.flatMap((reply) => digestFormer(entry, salts, reply) ?? [])];
  if (!salts.includes(beforeExtents)) return [];
  const present = listSalts(salts);
  const extents = listExtents(salts);
  const formers = withExtents(entry, extents);
  return extents.map((extent, at) => {
    const former = formers[at] as DigestibleEntry;
    const ofText = isRemoved(extent.text) ? extent.text : present[textIndex];
    const formerSalts = present
      .slice(0, attachmentsIndex + former.attachments.length)
      .with(textIndex, ofText ?? '')
      .with(propertiesIndex, extent.salt);
    return redigestWith(former, formerSalts.join('.'), replies);
  });
}

/**
 * Computes the digest of a stored version from its stored salts.
 * @returns undefined when the salts do not fit the fields of the entry
 */
export function redigestEntry(entry: DigestibleEntry, salts: string, inReplyTo: ReplyLink): string | undefined {
  return redigestWith(entry, salts, [inReplyTo])[0];
}

/**
 * Computes the digests of a stored version, one with each of these reply links. The other fields, which take most of
 * the time, are hashed only once.
 * @param texts the texts of the entry, if they are encoded
 * @returns an empty list when the salts do not fit the fields of the entry
 */
export function redigestWith(
  entry: DigestibleEntry,
  salts: string,
  replies: readonly ReplyLink[],
  texts?: EncodedTexts,
): string[] {
  const [, ...fields] = listFields(entry, undefined);
  const [headSalt = '', ...stored] = listSalts(salts);
  if (stored.length !== fields.length) return [];
  const digests = fields.map((field, at) => {
    const salt = stored[at] ?? '';
    const isEncoded = field.name === 'text' && texts && !isRemoved(salt);
    return isEncoded ? digestTexts(salt, texts) : digestOf(canonicalField(field), salt);
  });
  return replies.map((reply) =>
    combine(digestOf(canonicalField(headField(entry, reply)), headSalt) + digests.join('')),
  );
}

/** Lists the salt of each field; for a removed field, its digest. */
export function listSalts(salts: string): string[] {
  return (partBefore(salts).split(beforeFormer)[0] as string).split('.');
}

/** Returns whether this is the digest of a removed field, and not a salt. */
export function isRemoved(salt: string): boolean {
  return salt.length === digestLength;
}

/** Replaces the salts of some fields with the digests of these fields, before their content is removed. */
export function removeSalts(entry: DigestibleEntry, salts: string, isToRemove: (place: number) => boolean): string {
  // The head, which has the reply link, cannot be removed.
  const fields = listFields(entry, undefined);
  const kept = listSalts(salts).map((salt, at) => {
    const field = fields[at];
    return field && isToRemove(at) ? digestOf(canonicalField(field), salt) : salt;
  });
  const [, formerSalt] = partBefore(salts).split(beforeFormer);
  if (formerSalt === undefined) return kept.join('.') + removeInExtents(entry, salts, isToRemove);
  const formerProperties = listFields(withoutGroup(entry), undefined)[propertiesIndex];
  const former =
    formerProperties && isToRemove(propertiesIndex)
      ? digestOf(canonicalField(formerProperties), formerSalt)
      : formerSalt;
  return `${kept.join('.')}${beforeFormer}${former}`;
}

/** Returns the extents with digests in place of the salts and texts that are removed. */
function removeInExtents(entry: DigestibleEntry, salts: string, isToRemove: (place: number) => boolean): string {
  const salt = listSalts(salts)[textIndex] ?? '';
  const stored = listExtents(salts);
  const formers = withExtents(entry, stored);
  const extents = stored.map((extent, at) => {
    const fields = listFields(formers[at] as DigestibleEntry, undefined).map(canonicalField);
    return {
      ...extent,
      ...(isToRemove(textIndex) && !isRemoved(extent.text) && { text: digestOf(fields[textIndex] ?? '', salt) }),
      ...(isToRemove(propertiesIndex) && { salt: digestOf(fields[propertiesIndex] ?? '', extent.salt), formers: [] }),
    };
  });
  return extents.length === 0 ? '' : `${beforeExtents}${extents.map(encodeExtent).join(';')}`;
}

function digestOf(canonical: string, salt: string): string {
  return isRemoved(salt) ? salt : digestField(salt, canonical);
}

/**
 * Hashes a field. The first word separates the kinds of hashed data, so that no digest of one kind fits another kind.
 */
function digestField(salt: string, canonical: string): string {
  return hash('sha256', `field ${salt} ${canonical}`, 'hex');
}

function digestTexts(salt: string, texts: EncodedTexts): string {
  const sum = createHash('sha256').update(`field ${salt} `);
  for (const part of canonicalTexts(texts)) sum.update(part);
  return sum.digest('hex');
}

function combine(digests: string): string {
  return hash('sha256', `content ${digests}`, 'hex');
}

/** Random characters for many salts, drawn together, because each call costs as much time as a digest. */
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
