import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import type { SearchPage, SimilarEntry } from '../api/types.ts';
import type { DraftContent } from '../drafts/draft.ts';
import { useOutage } from '../offline/connection.ts';
import type { SimilarLinesProps } from '../read/similar-lines.tsx';
import { useMe } from '../session/me.ts';
import { useSettings } from '../settings/settings.ts';
import { useSettled } from './use-settled.ts';

const settleMs = 2_000;
const minChars = 12;
const maxChars = 500;
const maxEntries = 5;

const SimilarLines = lazy(async () => {
  // An outage must not prevent writing.
  const loaded = await import('../read/similar-lines.tsx').catch(() => undefined);
  return { default: loaded?.SimilarLines ?? ((_: SimilarLinesProps) => null) };
});

/** Earlier entries that are similar to the draft, searched in pauses of typing. Nothing if there are none. */
export function SimilarToDraft({ content }: { readonly content: DraftContent }) {
  const { t } = useTranslation('write');
  const [isOpen, setOpen] = useState(false);
  const entries = useSimilarEntries(content);
  if (entries.length === 0) return null;
  return (
    <details className="similar-to-draft" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="label">{t('similar', { count: entries.length })}</summary>
      {isOpen && (
        <Suspense>
          <SimilarLines entries={entries} isApart />
          <p className="hint">{t('similarHint')}</p>
        </Suspense>
      )}
    </details>
  );
}

function useSimilarEntries(content: DraftContent): readonly SimilarEntry[] {
  const userName = useMe()?.userName;
  const { similarWhileWriting } = useSettings();
  const isReachable = useOutage() === undefined;
  const meaning = useSettled(wordsOf(content), settleMs);
  const isEnough = similarWhileWriting && meaning.length >= minChars;
  const { data } = useQuery({
    queryKey: ['similar', userName, meaning],
    queryFn: async ({ signal }) => {
      const params = { query: { meaning, size: '1', view: 'list' } };
      // Not cached, so that the service worker does not keep an answer for each state of a text.
      return dataOf<SearchPage>(await api.GET('/logs/search', { params, signal, cache: 'no-store' }));
    },
    enabled: isEnough && isReachable && userName != null,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  });
  return isEnough ? (data?.byMeaning ?? []).slice(0, maxEntries) : [];
}

/** The title and the beginning of the text, without the addresses of its links and images. */
function wordsOf({ title, text }: DraftContent): string {
  const read = text.slice(0, 4 * maxChars).replace(/\]\([^)]*\)(?:\{[^}]*\})?/g, ']');
  return `${title}\n${read}`.trim().slice(0, maxChars);
}
