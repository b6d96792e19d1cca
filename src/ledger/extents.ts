import {
  decodeFormerAttributes,
  encodeFormerAttributes,
  type FormerAttributes,
  formerAttributesOf,
  withFormerAttributes,
} from './added-values.js';
import { type DigestibleEntry, isGroupProperty } from './entry-fields.js';

/**
 * Extent of a version that the next one extended: the sizes of its parts at the beginning of the later content. With
 * the extent, the digest of a version that is not stored can be computed from the next version.
 */
export interface Extent {
  /** Lengths of source and description in UTF-16 code units, as `12/10`; a digest if the text was removed. */
  readonly text: string;
  /** Number of properties that it had: the first ones of the later version. */
  readonly properties: number;
  /** Salt of its properties; a digest if they were removed. */
  readonly salt: string;
  /** Number of attachments that it had: the first ones of the later version. */
  readonly attachments: number;
  readonly run: DigestibleEntry['run'];
  /** Its attributes in properties to which the next version added values. Empty if its properties were removed. */
  readonly formers: FormerAttributes;
}

export function extentOf(former: DigestibleEntry, salt: string, next: DigestibleEntry): Extent {
  const { source, description, properties, attachments, run } = former;
  const text = `${source.length}/${description.length}`;
  const formers = formerAttributesOf(former, next);
  return { text, properties: properties.length, salt, attachments: attachments.length, run, formers };
}

export function encodeExtent({ text, properties, salt, attachments, run, formers }: Extent): string {
  const state = run ? `${run.status}/${run.blocks}/${run.changedDate}` : '';
  const parts = [text, properties, salt, attachments, state];
  return [...parts, ...(formers.length > 0 ? [encodeFormerAttributes(formers)] : [])].join(',');
}

/** Decodes the result of `encodeExtent`. */
export function decodeExtent(encoded: string): Extent {
  const [text = '', properties, salt = '', attachments, state = '', formers = ''] = encoded.split(',');
  const [status = '', blocks, changedDate] = state.split('/');
  const run = state === '' ? undefined : { status, blocks: Number(blocks), changedDate: Number(changedDate) };
  return {
    text,
    properties: Number(properties),
    salt,
    attachments: Number(attachments),
    run,
    formers: decodeFormerAttributes(formers),
  };
}

/** Returns the versions with these extents, oldest first, from the version that extended the last one. */
export function withExtents(entry: DigestibleEntry, extents: readonly Extent[]): DigestibleEntry[] {
  const versions: DigestibleEntry[] = [];
  let next = entry;
  for (const extent of extents.toReversed()) {
    next = withExtent(next, extent);
    versions.push(next);
  }
  return versions.reverse();
}

/** Returns the version before `entry`, with this extent. */
function withExtent(entry: DigestibleEntry, extent: Extent): DigestibleEntry {
  const [source, description] = extent.text.split('/').map(Number);
  return {
    ...entry,
    source: entry.source.slice(0, source || 0),
    description: entry.description.slice(0, description || 0),
    properties: withFormerAttributes(entry.properties.slice(0, extent.properties), extent.formers),
    attachments: entry.attachments.slice(0, extent.attachments),
    run: extent.run,
  };
}

/**
 * Whether a version begins with the whole content of the former one. Only text, properties, attachments, values of
 * devices and the state of the run may differ.
 */
export function isExtended(former: DigestibleEntry, next: DigestibleEntry): boolean {
  const extent = withExtent(next, extentOf(former, '', next));
  const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  return (
    extent.source === former.source &&
    extent.description === former.description &&
    isSame(extent.properties, former.properties) &&
    isSame(extent.attachments, former.attachments)
  );
}

/** Whether only the group was added. */
export function onlyJoined(former: DigestibleEntry, next: DigestibleEntry): boolean {
  const added = next.properties.slice(former.properties.length);
  return (
    added.length === 1 &&
    added.every(({ name }) => isGroupProperty(name)) &&
    next.source.length === former.source.length &&
    next.attachments.length === former.attachments.length &&
    next.run?.blocks === former.run?.blocks
  );
}
