import type { Draft } from '../drafts/draft.ts';

/** Whether the draft is a reply to the entry and has only a text. */
export function isPlainReply({ purpose, content, templateName }: Draft, entryId: number): boolean {
  if (purpose.kind !== 'reply' || purpose.to !== entryId || content.title !== purpose.title) return false;
  const { level, tags, properties, events, files } = content;
  const added = [...tags, ...properties, ...events, ...files];
  return level === '' && added.length === 0 && templateName === undefined;
}
