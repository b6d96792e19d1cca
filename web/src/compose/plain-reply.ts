import type { Draft } from '../drafts/draft.ts';
import { timesOf } from '../drafts/draft-times.ts';

/** Whether the draft is a reply to the entry and has only a text. */
export function isPlainReply({ purpose, content, templateName }: Draft, entryId: number): boolean {
  if (purpose.kind !== 'reply' || purpose.to !== entryId || content.title !== purpose.title) return false;
  const { level, tags, properties, files } = content;
  const added = [...tags, ...properties, ...timesOf(content), ...files];
  return level === '' && added.length === 0 && templateName === undefined;
}
