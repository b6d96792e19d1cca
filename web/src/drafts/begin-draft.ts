import type { DraftContent, DraftPurpose } from './draft.ts';

/** Purpose and first content of a draft. */
export interface Beginning {
  readonly purpose: DraftPurpose;
  readonly content: Partial<DraftContent>;
}

/** Returns how a reply begins: with the title and the logbooks of the entry that it answers. */
export function replyTo(to: number, parentTitle: string, logbooks: readonly string[]): Beginning {
  const title = parentTitle.startsWith('Re: ') ? parentTitle : `Re: ${parentTitle}`;
  return { purpose: { kind: 'reply', to, title }, content: { title, logbooks } };
}
