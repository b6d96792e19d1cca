import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { copyText } from '../components/copy-text.ts';
import { formatForSearch } from '../components/search-time.ts';
import { useFind } from '../find/find-context.ts';
import { searchAround } from '../find/moment.ts';
import { runShortcut, useShortcut } from '../keys/use-shortcut.ts';
import { toMarkdown } from './entry-markdown.ts';

export interface EntryActions {
  readonly reply: () => void;
  readonly edit: () => void;
  readonly history: () => void;
  readonly around: () => void;
  readonly copyLink: () => void;
  readonly copyMarkdown: () => void;
  readonly print: () => void;
}

/** Returns the actions for an open entry, which buttons and keys run. */
export function useEntryActions(entry: Entry): EntryActions {
  const { t } = useTranslation('read');
  const navigate = useNavigate();
  const find = useFind();
  const id = String(entry.id);
  const address = `${location.origin}/entries/${id}`;
  const created = formatForSearch(entry.createdDate);
  const actions: EntryActions = {
    reply: () => void runShortcut('reply'),
    edit: () => void navigate({ to: '/write' as '/', search: { edit: id } as object }),
    history: () =>
      void navigate({ to: '/entries/$entryId/history', params: { entryId: id }, search: (search) => search }),
    around: () => find?.change(searchAround(entry.createdDate)),
    copyLink: () => void copyText(address, t('linkCopied')),
    copyMarkdown: () => void copyText(toMarkdown(entry, { created, address }), t('markdownCopied')),
    print: () => window.print(),
  };
  useShortcut('edit', actions.edit);
  useShortcut('history', actions.history);
  useShortcut('around', actions.around);
  useShortcut('copyLink', actions.copyLink);
  useShortcut('copyMarkdown', actions.copyMarkdown);
  return actions;
}
