import type { Attachment } from '../attachments/attachment.js';
import { coveredKeys } from '../ledger/entry-fields.js';
import type {
  AttributeValue,
  Entry,
  EventMark,
  LogbookReference,
  PropertyInstance,
  StoredSample,
  TagReference,
} from './entry.js';

/** Fields of an entry that the ledger covers. A field that it does not cover is a compile error. */
export const entryCoverage = {
  entry: coveredKeys.entry satisfies Record<keyof Entry, string>,
  event: coveredKeys.event satisfies Record<keyof EventMark, string>,
  logbook: coveredKeys.logbook satisfies Record<keyof LogbookReference, string>,
  tag: coveredKeys.tag satisfies Record<keyof TagReference, string>,
  property: coveredKeys.property satisfies Record<keyof PropertyInstance, string>,
  attribute: coveredKeys.attribute satisfies Record<keyof AttributeValue, string>,
  sample: coveredKeys.sample satisfies Record<keyof StoredSample, string>,
  attachment: coveredKeys.attachment satisfies Record<keyof Attachment, string>,
};
