import type { LogbookReference, PropertyInstance, TagReference } from './entry.js';

/** A prepared log entry without attachments and events. Times are milliseconds since the epoch. */
export interface Template {
  readonly id: string;
  /** Unique, ignoring case. */
  readonly name: string;
  readonly owner: string;
  readonly title: string;
  readonly source: string;
  readonly description: string;
  readonly level: string;
  readonly createdDate: number;
  readonly modifyDate: number | null;
  readonly modifiedBy: string | null;
  readonly logbooks: readonly LogbookReference[];
  readonly tags: readonly TagReference[];
  readonly properties: readonly PropertyInstance[];
}

/** A template as it is stored; the API responds with the same bytes. */
export class StoredTemplate {
  readonly json: Buffer;

  /** @param json the template as JSON in UTF-8 */
  constructor(json: Uint8Array) {
    this.json = Buffer.isBuffer(json) ? json : Buffer.from(json.buffer, json.byteOffset, json.byteLength);
  }

  /** Decoded at each use, so that a list of long templates does not hold two forms of each. */
  get template(): Template {
    return JSON.parse(this.json.toString()) as Template;
  }
}

/** Encodes a template as JSON in UTF-8, with all its fields and no others. */
export function encodeTemplate(template: Template): Buffer {
  const { id, name, owner, title, source, description, level, createdDate, modifyDate, modifiedBy } = template;
  const { logbooks, tags, properties } = template;
  return Buffer.from(
    JSON.stringify({
      id,
      name,
      owner,
      title,
      source,
      description,
      level,
      createdDate,
      modifyDate,
      modifiedBy,
      logbooks,
      tags,
      properties,
    } satisfies Template),
  );
}
