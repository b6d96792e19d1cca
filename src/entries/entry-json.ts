import type { Attachment } from '../attachments/attachment.js';
import type { Entry, RunState, StoredSample } from './entry.js';

/** One version of an entry as it is stored; the API responds with the same bytes. */
export class StoredEntry {
  readonly json: Buffer;
  readonly #isEncoded: boolean;
  #entry: Entry | undefined;

  /**
   * @param revision 1 when created; increases by one with every change, archived or not; used as the entity tag. It is
   *   not the `version` that the entry shows, which counts edits only
   * @param json the entry as JSON in UTF-8, encoded once when it was stored
   * @param entry the same entry, if the caller encoded it; otherwise it is decoded on first use
   */
  constructor(
    readonly id: number,
    readonly revision: number,
    json: Uint8Array,
    entry?: Entry,
  ) {
    this.json = Buffer.isBuffer(json) ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength);
    this.#entry = entry;
    this.#isEncoded = entry !== undefined;
  }

  /** Whether the JSON is known to be the result of `encodeEntry`. */
  get isEncoded(): boolean {
    return this.#isEncoded;
  }

  get entry(): Entry {
    this.#entry ??= decodeEntry(this.json);
    return this.#entry;
  }
}

/** Encodes an entry as JSON in UTF-8, with all its fields and no others. Lists are never null. */
export function encodeEntry(entry: Entry): Buffer {
  const document = {
    id: entry.id,
    owner: entry.owner,
    // Absent when undefined.
    ownerName: entry.ownerName,
    source: entry.source,
    description: entry.description,
    title: entry.title,
    level: entry.level,
    state: entry.state,
    createdDate: entry.createdDate,
    modifyDate: entry.modifyDate,
    modifiedBy: entry.modifiedBy,
    events: entry.events.map(({ name, instant }) => ({ name, instant })),
    logbooks: entry.logbooks.map(({ name, owner, state }) => ({ name, owner, state })),
    tags: entry.tags.map(({ name, state }) => ({ name, state })),
    properties: entry.properties.map(({ name, owner, state, attributes }) => ({
      name,
      owner,
      state,
      attributes: attributes.map((attribute) => ({
        name: attribute.name,
        value: attribute.value,
        state: attribute.state,
        // Absent when undefined.
        sample: attribute.sample && encodedSample(attribute.sample),
      })),
    })),
    attachments: entry.attachments.map(encodedAttachment),
    // Absent when undefined.
    devices: entry.devices,
    run: entry.run && encodedRun(entry.run),
    automatic: entry.automatic,
    version: entry.version,
  } satisfies Entry & Record<keyof Entry, unknown>;
  return Buffer.from(JSON.stringify(document));
}

function encodedRun({ status, blocks, changedDate }: RunState) {
  return { status, blocks, changedDate } satisfies RunState & Record<keyof RunState, unknown>;
}

function encodedSample({ numbers, text, index, units, severity, instant }: StoredSample) {
  // Absent when undefined.
  return { numbers, text, index, units, severity, instant } satisfies StoredSample &
    Record<keyof StoredSample, unknown>;
}

function encodedAttachment(attachment: Attachment) {
  return {
    id: attachment.id,
    filename: attachment.filename,
    fileMetadataDescription: attachment.fileMetadataDescription,
    size: attachment.size,
    contentType: attachment.contentType,
    checksum: attachment.checksum,
    // Absent when undefined.
    width: attachment.width,
    height: attachment.height,
  } satisfies Attachment & Record<keyof Attachment, unknown>;
}

/** Decodes the result of `encodeEntry`. */
export function decodeEntry(json: Buffer): Entry {
  return JSON.parse(json.toString()) as Entry;
}
