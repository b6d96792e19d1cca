import { useQuery } from '@tanstack/react-query';
import { ListFilter } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewport } from '../app/viewport.ts';
import { formatNumber } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { type Brush, BrushLine, brushTimes } from './brush.tsx';
import { type FindSearch, withQuery } from './find-search.ts';
import { Histogram } from './histogram.tsx';
import { LiveLight, type LiveLightProps } from './live-light.tsx';
import { countFilters, withTimes } from './query-terms.ts';
import { facetsQuery } from './search-queries.ts';
import { SortButton } from './sort-button.tsx';
import { TimePicker } from './time-picker.tsx';
import { Understood } from './understood.tsx';
import type { Results } from './use-results.ts';
import './results-head.css';

interface ResultsHeadProps {
  readonly search: FindSearch;
  readonly results: Results;
  readonly live: LiveLightProps;
  readonly onChange: (search: FindSearch) => void;
  readonly onFilters: (() => void) | undefined;
}

/** Shows how the search was understood, the number of hits, and their distribution in time. */
export function ResultsHead({ search, results, live, onChange, onFilters }: ResultsHeadProps) {
  const { t } = useTranslation('find');
  const viewport = useViewport();
  const { data: facets } = useQuery(facetsQuery(search));
  const [brush, setBrush] = useState<Brush>();
  const zoomTo = (chosen: Brush) => {
    if (!facets) return;
    const { start, end } = brushTimes(facets.time, chosen);
    setBrush(undefined);
    onChange(withQuery(search, withTimes(search.query, start, end)));
  };
  // A list by threads has fewer rows than there are entries.
  const hits = facets?.hitCount ?? results.hitCount;
  const filters = countFilters(search.query);
  return (
    <header className="results-head">
      <div className="under">
        {brush && facets ? <BrushLine time={facets.time} brush={brush} /> : <Understood search={search} />}
      </div>
      <div className="count-line">
        <h1 className="number">
          {hits === undefined ? t('entriesUnknown') : t('hits', { count: hits, shown: formatNumber(hits) })}
        </h1>
        <LiveLight {...live} />
        <span className="grow" />
        {onFilters && viewport !== 'phone' && (
          <button type="button" className="button small" onClick={onFilters}>
            <Icon of={ListFilter} />
            <span className="filters-label">{filters > 0 ? t('filtersSet', { count: filters }) : t('filters')}</span>
          </button>
        )}
        {viewport !== 'phone' && <ViewButtons search={search} onChange={onChange} />}
        <TimePicker search={search} onChange={onChange} />
        {viewport !== 'phone' && viewport !== 'tablet' && <SortButton search={search} onChange={onChange} />}
      </div>
      {results.hitCount !== 0 && <Histogram time={facets?.time} brush={brush} onBrush={setBrush} onZoom={zoomTo} />}
    </header>
  );
}

function ViewButtons({ search, onChange }: Pick<ResultsHeadProps, 'search' | 'onChange'>) {
  const { t } = useTranslation('find');
  const { view: _, ...threads } = search;
  const isFlat = search.view === 'flat';
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons, not a group of form fields
    <span className="segment" role="group" aria-label={t('view')}>
      <button type="button" className="button" aria-pressed={!isFlat} onClick={() => onChange(threads)}>
        {t('threads')}
      </button>
      <button
        type="button"
        className="button"
        aria-pressed={isFlat}
        onClick={() => onChange({ ...threads, view: 'flat' })}
      >
        {t('flat')}
      </button>
    </span>
  );
}
