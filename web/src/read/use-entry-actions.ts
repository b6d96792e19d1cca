import { useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { rootPath } from '../app/root-path.ts';
import { copyRichText, copyText } from '../components/copy-text.ts';
import { formatMoment } from '../components/format.ts';
import { formatForSearch } from '../components/search-time.ts';
import { useFind } from '../find/find-context.ts';
import { searchAround } from '../find/moment.ts';
import { runShortcut, useShortcut } from '../keys/use-shortcut.ts';
import { printPage } from '../print/print-page.ts';
import { useBootstrap } from '../session/me.ts';
import { toHtml } from './entry-html.ts';
import { toMarkdown } from './entry-markdown.ts';

export interface EntryActions {
  readonly reply: () => void;
  readonly edit: () => void;
  readonly history: () => void;
  readonly around: () => void;
  readonly copyLink: () => void;
  readonly copyMarkdown: () => void;
  /** Copies the entry with formatting, for mail and office programs. */
  readonly copyRich: () => void;
  readonly print: () => void;
}

/** Whether the control system has alarms or curves of the devices that an entry names. */
function useHasSurroundings({ devices = [] }: Entry): boolean {
  const sources = useBootstrap()?.deviceSources ?? [];
  return devices.length > 0 && (sources.includes('history') || sources.includes('alarms'));
}

/** Returns the actions for an open entry, which buttons and keys run. */
export function useEntryActions(entry: Entry): EntryActions {
  const { t } = useTranslation('read');
  const navigate = useNavigate();
  const find = useFind();
  const hasSurroundings = useHasSurroundings(entry);
  const id = String(entry.id);
  const address = `${location.origin}/entries/${id}`;
  const created = formatForSearch(entry.createdDate);
  const fileAddress = (file: string) => `${location.origin}${rootPath}/attachment/${encodeURIComponent(file)}`;
  const markdown = () => toMarkdown(entry, { created, address, fileAddress });
  const actions: EntryActions = {
    reply: () => void runShortcut('reply'),
    edit: () => void navigate({ to: '/write' as '/', search: { edit: id } as object }),
    history: () =>
      void navigate({ to: '/entries/$entryId/history', params: { entryId: id }, search: (search) => search }),
    around: () => {
      if (hasSurroundings) void navigate({ to: '/entries/$entryId/around', params: { entryId: id }, search: {} });
      else find?.change(searchAround(entry.createdDate));
    },
    copyLink: () => void copyText(address, t('linkCopied')),
    copyMarkdown: () => void copyText(markdown(), t('markdownCopied')),
    copyRich: () =>
      void copyRichText(
        { html: toHtml(entry, { created: formatMoment(entry.createdDate), address }), text: markdown() },
        t('richCopied'),
      ),
    print: () => void printPage(),
  };
  useShortcut('edit', actions.edit);
  useShortcut('history', actions.history);
  useShortcut('around', actions.around);
  useShortcut('copyLink', actions.copyLink);
  useShortcut('copyMarkdown', actions.copyMarkdown);
  useShortcut('copyRich', actions.copyRich);
  useShortcut('print', actions.print);
  return actions;
}
