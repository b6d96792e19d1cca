import type { TFunction } from 'i18next';
import type { Bootstrap, Me } from '../api/types.ts';
import type { Draft, DraftContent } from '../drafts/draft.ts';
import { toInput } from '../drafts/entry-requests.ts';
import { formatLimit, formatSize } from './files/file-names.ts';

/** Problems that must be fixed before the draft can be sent, by field. */
export interface DraftProblems {
  readonly title?: string | undefined;
  readonly logbooks?: string | undefined;
  readonly tags?: string | undefined;
  readonly when?: string | undefined;
  /** Problem with the size of the text, from `checkSize`. */
  readonly text?: string | undefined;
}

interface Knowledge {
  readonly bootstrap: Bootstrap | undefined;
  readonly me: Me | undefined;
}

/** Reports problems before anything is sent, except for the size of the text, which takes longer to measure. */
export function checkDraft(draft: Draft, { bootstrap, me }: Knowledge, t: TFunction<'write'>): DraftProblems {
  const { content } = draft;
  const titleLimit = bootstrap?.limits.maxTitleLength ?? Number.POSITIVE_INFINITY;
  const title = content.title.trim();
  return {
    title:
      title === ''
        ? t('problem.title')
        : title.length > titleLimit
          ? t('problem.titleLong', { limit: titleLimit })
          : undefined,
    logbooks: checkLogbooks(draft, { bootstrap, me }, t),
    tags: checkTags(draft, bootstrap, t),
    when: content.unreadableTimes === undefined ? undefined : t('whenWrong'),
  };
}

/** Returns the problem of an entry that is too large even without its files; undefined if it is not. */
export function checkSize(
  content: DraftContent,
  bootstrap: Bootstrap | undefined,
  t: TFunction<'write'>,
): string | undefined {
  const limit = bootstrap?.limits.maxEntrySize ?? Number.POSITIVE_INFINITY;
  // Each character takes 6 bytes at most, and all other fields are short.
  if (content.text.length * 6 + 100_000 < limit) return undefined;
  const size = new Blob([JSON.stringify(toInput(content))]).size;
  return size > limit ? t('problem.textLong', { size: formatSize(size), limit: formatLimit(limit) }) : undefined;
}

function checkLogbooks({ content, purpose }: Draft, { bootstrap, me }: Knowledge, t: TFunction<'write'>) {
  if (content.logbooks.length === 0) return t('problem.logbook');
  // Logbooks that the entry already had stay allowed.
  const had = purpose.kind === 'edit' ? purpose.base.content.logbooks : [];
  const added = content.logbooks.filter((name) => !had.includes(name));
  const known = bootstrap?.configuration.logbooks.map(({ name }) => name);
  const unknown = known && added.find((name) => !known.includes(name));
  if (unknown !== undefined) return t('problem.unknownLogbook', { name: unknown });
  if (me?.userName === null) return undefined;
  const forbidden = added.find((name) => me?.logbooks.some((one) => one.name === name && !one.write));
  return forbidden === undefined ? undefined : t('problem.logbookForbidden', { name: forbidden });
}

function checkTags({ content, purpose }: Draft, bootstrap: Bootstrap | undefined, t: TFunction<'write'>) {
  const had = purpose.kind === 'edit' ? purpose.base.content.tags : [];
  const known = bootstrap?.configuration.tags.map(({ name }) => name);
  const unknown = known && content.tags.find((name) => !known.includes(name) && !had.includes(name));
  return unknown === undefined ? undefined : t('problem.unknownTag', { name: unknown });
}
