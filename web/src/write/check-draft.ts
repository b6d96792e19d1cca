import type { TFunction } from 'i18next';
import type { Bootstrap, Me } from '../api/types.ts';
import type { Draft } from '../drafts/draft.ts';
import { toInput } from '../drafts/entry-requests.ts';
import { formatLimit } from './files/file-names.ts';

/** Problems that must be fixed before the draft can be sent, by field. */
export interface DraftProblems {
  readonly title?: string | undefined;
  readonly logbooks?: string | undefined;
  readonly tags?: string | undefined;
  readonly text?: string | undefined;
}

interface Knowledge {
  readonly bootstrap: Bootstrap | undefined;
  readonly me: Me | undefined;
}

/** Reports problems before anything is sent. */
export function checkDraft(draft: Draft, { bootstrap, me }: Knowledge, t: TFunction<'write'>): DraftProblems {
  const { content } = draft;
  const limits = bootstrap?.limits;
  const titleLimit = limits?.maxTitleLength ?? Number.POSITIVE_INFINITY;
  const entryLimit = limits?.maxEntrySize ?? Number.POSITIVE_INFINITY;
  // Measured only where it can matter: this runs with each key.
  const isShort = content.text.length * 8 < entryLimit;
  const size = isShort ? 0 : new Blob([JSON.stringify(toInput(content))]).size;
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
    text: size > entryLimit ? t('problem.textLong', { limit: formatLimit(entryLimit) }) : undefined,
  };
}

function checkLogbooks({ content, purpose }: Draft, { bootstrap, me }: Knowledge, t: TFunction<'write'>) {
  if (content.logbooks.length === 0) return t('problem.logbook');
  // Names that the entry had already stay allowed.
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
