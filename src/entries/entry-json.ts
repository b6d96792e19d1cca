import type { Entry } from './entry.js';

/** An entry as the interface shows it: every field, none more, lists never null. */
export type EntryView = Omit<Entry, 'version'>;

export function toEntryView(entry: EntryView): EntryView {
  return {
    id: entry.id,
    owner: entry.owner,
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
      })),
    })),
    attachments: entry.attachments.map((attachment) => ({
      id: attachment.id,
      filename: attachment.filename,
      fileMetadataDescription: attachment.fileMetadataDescription,
      size: attachment.size,
      contentType: attachment.contentType,
      checksum: attachment.checksum,
    })),
  };
}
