import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import type { Entry } from '../api/types.ts';
import { formatNumber } from '../components/format.ts';
import type { FindSearch } from '../find/find-search.ts';
import { searchParams } from '../find/search-queries.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { PrintView } from './print-view.tsx';
import { PrintedAddress, PrintedEntry } from './printed-entry.tsx';

/** Maximum number of printed entries. */
const maxPrinted = 100;

interface PrintedSearchProps {
  readonly search: FindSearch;
  readonly onClose: () => void;
}

/** Prints the entries of a search with their texts, in the order of the list. */
export function PrintedSearch({ search, onClose }: PrintedSearchProps) {
  const { t } = useTranslation('find');
  const router = useRouter();
  const { data, error } = useQuery({
    queryKey: ['hits', 'printed', search],
    queryFn: async ({ signal }): Promise<{ readonly hitCount: number; readonly logs: readonly Entry[] }> => {
      const query = { ...searchParams(search), size: String(maxPrinted) };
      return dataOf(await api.GET('/logs/search', { params: { query }, signal }));
    },
    staleTime: 0,
    gcTime: 0,
  });
  useEffect(() => {
    if (!error) return;
    showProblem(error);
    onClose();
  }, [error, onClose]);
  const { hitCount = 0, logs = [] } = data ?? {};
  return (
    <PrintView isReady={data !== undefined} onClose={onClose}>
      <h1>{search.query ?? t('list')}</h1>
      <p className="muted">
        {t('hits', { count: hitCount, shown: formatNumber(hitCount) })}
        {hitCount > logs.length && ` · ${t('printedFirst', { shown: formatNumber(logs.length) })}`}
      </p>
      {logs.map((entry) => (
        <PrintedEntry key={entry.id} entry={entry} />
      ))}
      <PrintedAddress path={router.state.location.href} />
    </PrintView>
  );
}
