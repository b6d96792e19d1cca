import type { RequestedAttachment } from '../../attachments/attach-uploads.js';
import type { EntryDraft, PropertyDraft } from '../../entries/entry-draft.js';
import { toStoredValue } from '../attribute-value.js';
import type { EntryInput, PropertyInput } from './entry.schema.js';

export function toDraft(input: EntryInput): EntryDraft {
  return {
    ...toSharedDraft(input),
    title: input.title,
    logbooks: input.logbooks.map((logbook) => logbook.name),
    events: (input.events ?? []).map(({ name, instant }) => ({ name, instant })),
  };
}

/** Returns the fields that entries and templates share. */
export function toSharedDraft(
  input: Pick<EntryInput, 'source' | 'description' | 'level' | 'tags' | 'properties'>,
): Pick<EntryDraft, 'text' | 'source' | 'description' | 'level' | 'tags' | 'properties'> {
  return {
    // Some clients send only `description`, others an empty `source` as well.
    text: input.source || input.description || '',
    source: input.source ?? undefined,
    description: input.description ?? undefined,
    level: input.level?.trim() || undefined,
    tags: (input.tags ?? []).map((tag) => tag.name),
    properties: (input.properties ?? []).map(toPropertyDraft),
  };
}

function toPropertyDraft({ name, attributes }: PropertyInput): PropertyDraft {
  return {
    name,
    attributes: (attributes ?? []).map((attribute) => ({
      name: attribute.name,
      value: attribute.value === undefined ? '' : toStoredValue(attribute.name, attribute.value),
    })),
  };
}

/** Returns the requested attachments; undefined when the input has no list of attachments. */
export function toRequestedAttachments(input: EntryInput): RequestedAttachment[] | undefined {
  return input.attachments?.map((attachment) => ({
    id: attachment.id || undefined,
    filename: attachment.filename || undefined,
    fileMetadataDescription: attachment.fileMetadataDescription || undefined,
  }));
}
