import { type Draft, type DraftContent, type DraftPurpose, emptyContent, isOwn } from './draft.ts';
import { listDrafts } from './draft-store.ts';
import { newUuid } from './uuid.ts';

/** Purpose and first content of a draft. */
export interface Beginning {
  readonly purpose: DraftPurpose;
  readonly content: Partial<DraftContent>;
}

/** Returns the beginning of a reply: the title and the logbooks of the entry that it answers. */
export function replyTo(to: number, parentTitle: string, logbooks: readonly string[]): Beginning {
  const title = parentTitle.startsWith('Re: ') ? parentTitle : `Re: ${parentTitle}`;
  return { purpose: { kind: 'reply', to, title }, content: { title, logbooks } };
}

/** Returns a new draft, which is not stored yet. Without a user, it belongs to the next one who signs in. */
export function newDraft({ purpose, content }: Beginning, userName: string | null = null, id = newUuid()): Draft {
  const all = { ...emptyContent, ...content };
  return { id, purpose, content: all, removedFiles: [], revision: newUuid(), modifiedMs: Date.now(), userName };
}

/** Returns the newest wanted draft of the user that was neither sent nor discarded; undefined without one. */
export async function findBegunDraft(
  userName: string | null,
  isWanted: (draft: Draft) => boolean,
): Promise<Draft | undefined> {
  const drafts = await listDrafts().catch(() => []);
  return drafts.find(
    (draft) => !draft.submission && draft.discardedMs === undefined && isOwn(draft, userName) && isWanted(draft),
  );
}
