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
