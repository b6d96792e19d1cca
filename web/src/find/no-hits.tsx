import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { typedEntryId } from '../api/entry-id.ts';
import { formatId, formatNumber } from '../components/format.ts';
import { Void } from '../components/problem.tsx';
import { type FindSearch, withQuery } from './find-search.ts';
import { NewsPill } from './news-pill.tsx';
import { isToken, queryOf, termsOf, timesOf, withTimes } from './query-terms.ts';
import { pageQuery } from './search-queries.ts';

const FirstDay = lazy(async () => ({ default: (await import('./first-day.tsx')).FirstDay }));

interface NoHitsProps {
  readonly search: FindSearch;
  readonly onChange: (search: FindSearch) => void;
  readonly newCount: number;
  readonly onNews: () => void;
}

/** States that nothing was found, and offers wider searches. */
export function NoHits({ search, onChange, newCount, onNews }: NoHitsProps) {
  const { t } = useTranslation('find');
  const { start, end } = timesOf(search.query);
  const hasTimes = start !== undefined || end !== undefined;
  const terms = termsOf(search.query);
  const words = queryOf(terms.filter((term) => !isToken(term)));
  const everUsed = withQuery(search, withTimes(search.query, undefined, undefined));
  const { data: ever } = useQuery({ ...pageQuery(everUsed, 0, undefined), enabled: hasTimes });
  const pill = <NewsPill count={newCount} onShow={onNews} />;
  if (search.query === undefined) {
    return (
      <>
        {pill}
        <Suspense>
          <FirstDay />
        </Suspense>
      </>
    );
  }
  const filtersOnly = terms.some(isToken);
  const entryId = typedEntryId(words ?? '');
  return (
    <>
      {pill}
      <Void
        icon={Search}
        title={words === undefined ? t('noHitsFilter') : t(hasTimes ? 'noHitsRange' : 'noHits', { words })}
        text={
          ever && ever.hitCount > 0
            ? t('everHits', { count: ever.hitCount, shown: formatNumber(ever.hitCount) })
            : undefined
        }
        actions={
          <>
            {entryId !== undefined && (
              <Link className="button primary" to="/entries/$entryId" params={{ entryId: String(entryId) }}>
                {t('openEntry', { id: formatId(entryId) })}
              </Link>
            )}
            {ever && ever.hitCount > 0 && (
              <button type="button" className="button primary" onClick={() => onChange(everUsed)}>
                {t('searchEver', { shown: formatNumber(ever.hitCount) })}
              </button>
            )}
            {words !== undefined && filtersOnly && (
              <button type="button" className="button" onClick={() => onChange({ query: words })}>
                {t('dropFilters')}
              </button>
            )}
            <button type="button" className="button ghost" onClick={() => onChange({})}>
              {t('allEntries')}
            </button>
          </>
        }
      />
    </>
  );
}
