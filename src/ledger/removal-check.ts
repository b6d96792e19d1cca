import { hash } from 'node:crypto';
import { isRemoved, listSalts } from './entry-digest.js';
import { attachmentText, type DigestibleEntry, isGroupProperty, listFields, propertiesIndex } from './entry-fields.js';

/** Content of a redaction. */
export interface Removal {
  readonly entryId: number;
  /** Numbers of the versions from which something was removed, as in their records. */
  readonly versions: readonly number[];
  readonly parts: {
    readonly title: boolean;
    readonly text: boolean;
    readonly properties: boolean;
    /** Ids of the attachments. */
    readonly attachments: readonly string[];
  };
  readonly reason: string;
  readonly by: string;
  readonly atMs: number;
}

/** Returns the sentence that replaces removed content. */
export function describeRemoval({ by, atMs, reason }: Pick<Removal, 'by' | 'atMs' | 'reason'>): string {
  return `Removed by ${by} on ${new Date(atMs).toISOString().slice(0, 10)}: ${reason}`;
}

/** Name of the file that replaces a removed file. */
export const tombstoneName = 'removed.txt';

/** Returns the content of the file that replaces a removed file. */
export const tombstoneText = (sentence: string): string => `${sentence}\n`;

interface KnownRemoval extends Pick<Removal, 'versions' | 'parts'> {
  /** The digest of the sentence that replaces the content. */
  readonly sentence: string;
  /** Digest and size of the file that replaces a removed file. */
  readonly file: string;
}

/** A field of a version that has a digest in place of its salt. */
interface RemovedField {
  readonly version: number;
  readonly isIn: (parts: Removal['parts']) => boolean;
  /** Digests of the values shown in its place; empty if it had no value. */
  readonly shown: ReadonlySet<string>;
}

/**
 * Checks the values that are shown in place of removed content, which the digests of the versions do not cover. Such a
 * value must be the sentence of a redaction of the same part.
 */
export class RemovalCheck {
  /** Number of versions whose properties were removed: no digest covers the names of the properties or the group. */
  withoutProperties = 0;
  private readonly fields = new Map<number, RemovedField[]>();
  private readonly removals = new Map<number, KnownRemoval[]>();

  /** Adds a version from which fields may have been removed. */
  addVersion(
    entry: DigestibleEntry,
    { id, version, salts }: { readonly id: number; readonly version: number; readonly salts: string },
  ): void {
    const stored = listSalts(salts);
    if (!stored.some(isRemoved)) return;
    if (isRemoved(stored[propertiesIndex] ?? '')) this.withoutProperties += 1;
    const removed = this.fields.get(id) ?? [];
    this.fields.set(id, removed);
    for (const [place, { name }] of listFields(entry, undefined).entries()) {
      if (!isRemoved(stored[place] ?? '')) continue;
      const attachment = entry.attachments[place - listFields({ ...entry, attachments: [] }, undefined).length];
      removed.push({
        version,
        isIn: (parts) =>
          attachment ? parts.attachments.includes(attachment.id) : name !== 'head' && parts[name as 'title'] === true,
        shown: attachment ? shownFile(attachment) : new Set(sentencesIn(entry, name).map(digestOf)),
      });
    }
  }

  /** @throws Error when the content is not a redaction */
  addRemoval(removal: Removal): void {
    const { entryId, versions, parts } = removal;
    if (!Array.isArray(versions) || !Array.isArray(parts.attachments)) throw new Error('not a redaction');
    const text = describeRemoval(removal);
    const sentence = digestOf(text);
    const file = describeFile(sentence, Buffer.byteLength(tombstoneText(text)));
    this.removals.set(entryId, [...(this.removals.get(entryId) ?? []), { versions, parts, sentence, file }]);
  }

  /** @param onProblem receives a version of an entry, and a problem as a sentence without a full stop */
  finish(onProblem: (id: number, version: number, what: string) => void): void {
    for (const [id, fields] of this.fields) {
      const all = this.removals.get(id) ?? [];
      for (const { version, isIn, shown } of fields) {
        const removals = all.filter(({ parts }) => isIn(parts));
        if (!removals.some(({ versions }) => versions.includes(version))) {
          onProblem(id, version, 'content was removed from it without a recorded redaction');
        } else if (!removals.some(({ sentence, file }) => isSubset(shown, [sentence, file]))) {
          onProblem(
            id,
            version,
            'the removed content was replaced by something other than the sentence that says who removed it',
          );
        }
      }
    }
  }
}

/** Computes the digest of a sentence, which is also the checksum of the file that replaces a removed file. */
const digestOf = (sentence: string): string => hash('sha256', tombstoneText(sentence), 'hex');

const describeFile = (checksum: string, size: number): string => `${checksum} ${size}`;

const isSubset = (shown: ReadonlySet<string>, of: readonly string[]): boolean =>
  [...shown].every((one) => of.includes(one));

/** Describes a file as `describeFile` does if its other fields are those of a replacement of a removed file. */
function shownFile(shown: DigestibleEntry['attachments'][number]): ReadonlySet<string> {
  const { id, size, checksum } = shown;
  const type = 'text/plain';
  const expected = { id, filename: tombstoneName, fileMetadataDescription: type, size, contentType: type, checksum };
  const isTombstone = attachmentText(shown) === attachmentText(expected) && shown.fileMetadataDescription === type;
  return new Set([isTombstone ? describeFile(checksum, size) : attachmentText(shown)]);
}

function sentencesIn({ title, source, description, properties }: DigestibleEntry, name: string): string[] {
  if (name === 'title') return [title];
  if (name === 'text') return [source, description];
  const values = properties
    .filter((property) => !isGroupProperty(property.name))
    .flatMap(({ attributes }) => attributes);
  return values.map(({ value }) => value ?? '');
}
