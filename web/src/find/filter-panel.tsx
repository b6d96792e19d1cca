import { useQuery } from '@tanstack/react-query';
import { Check, Minus } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Facets, ValueCounts } from '../api/types.ts';
import { formatNumber } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { LevelGlyph, levelRank } from '../components/level.tsx';
import { useBootstrap } from '../session/me.ts';
import { type FindSearch, withQuery } from './find-search.ts';
import { type FilterKey, type QueryTerm, termsOf, type ValueState, valueState, withValue } from './query-terms.ts';
import { SavedSearches } from './saved-searches.tsx';
import { facetsQuery } from './search-queries.ts';
import { useKeptOrder } from './use-kept-order.ts';
import './filters.css';

interface FilterPanelProps {
  readonly search: FindSearch;
  readonly onChange: (search: FindSearch) => void;
}

const facetKeys = [
  ['level', 'levels'],
  ['logbook', 'logbooks'],
  ['tag', 'tags'],
  ['owner', 'owners'],
  ['device', 'devices'],
  ['property', 'properties'],
] as const satisfies readonly (readonly [FilterKey, keyof Facets])[];

/** Saved searches, and the values that narrow the hits, with their counts. */
export function FilterPanel({ search, onChange }: FilterPanelProps) {
  const { data: facets, isPlaceholderData } = useQuery(facetsQuery(search));
  const bootstrap = useBootstrap();
  const terms = termsOf(search.query);
  const set = (key: FilterKey, value: string, state: ValueState) =>
    onChange(withQuery(search, withValue(search.query, key, value, state)));
  const known = (key: FilterKey): readonly string[] => {
    const { levels = [], logbooks = [] } = bootstrap?.configuration ?? {};
    if (key === 'level') return levels;
    return key === 'logbook' ? logbooks.map(({ name }) => name) : [];
  };
  return (
    <>
      <SavedSearches search={search} onChange={onChange} />
      {facetKeys.map(([key, name]) => (
        <Facet
          key={key}
          of={key}
          values={valuesOf(key, facets?.[name], known(key), terms)}
          countedFor={facets && !isPlaceholderData ? (search.query ?? '') : undefined}
          terms={terms}
          onSet={(value, state) => set(key, value, state)}
        />
      ))}
    </>
  );
}

interface FacetValue {
  readonly name: string;
  readonly count: number | undefined;
}

/** The values of a facet: those found, those chosen, and those of the catalogue. */
function valuesOf(
  key: FilterKey,
  counts: ValueCounts | undefined,
  known: readonly string[],
  terms: readonly QueryTerm[],
): FacetValue[] {
  const chosen = terms.flatMap((term) => (term.kind === 'filter' && term.key === key ? term.values : []));
  const found = counts?.values ?? [];
  const lower = new Set(found.map(({ name }) => name.toLowerCase()));
  const others = [...new Set([...chosen, ...known])].filter((name) => !lower.has(name.toLowerCase()));
  // Properties are counted by name, not by value.
  const none = counts && key !== 'property' ? 0 : undefined;
  const values = [...found, ...others.map((name) => ({ name, count: none }))];
  if (key === 'level') values.sort((a, b) => levelRank(a.name) - levelRank(b.name));
  return values;
}

interface FacetProps {
  readonly of: FilterKey;
  readonly values: readonly FacetValue[];
  /** The search whose hits were counted; undefined while the counts are missing or belong to an earlier search. */
  readonly countedFor: string | undefined;
  readonly terms: readonly QueryTerm[];
  readonly onSet: (value: string, state: ValueState) => void;
}

const fewValues = 6;

function Facet({ of, values: found, countedFor, terms, onSet }: FacetProps) {
  const { t } = useTranslation('find');
  const [showsAll, showAll] = useState(false);
  // Levels have a fixed order.
  const values = useKeptOrder(found, of === 'level' ? undefined : countedFor);
  if (values.length === 0) return null;
  const isChosen = ({ name }: FacetValue) => valueState(terms, of, name) !== 'off';
  const shown = showsAll ? values : values.filter((value, at) => at < fewValues || isChosen(value));
  return (
    <section className="facet" aria-label={t(`facets.${of as 'level'}`)}>
      <h2>{t(`facets.${of as 'level'}`)}</h2>
      <ul>
        {shown.map((value) => (
          <FacetRow key={value.name} of={of} value={value} state={valueState(terms, of, value.name)} onSet={onSet} />
        ))}
        {values.length > fewValues && (
          <li>
            <button type="button" className="muted" onClick={() => showAll(!showsAll)}>
              {showsAll ? t('fewer') : t('allValues', { count: values.length })}
            </button>
          </li>
        )}
      </ul>
    </section>
  );
}

interface FacetRowProps {
  readonly of: FilterKey;
  readonly value: FacetValue;
  readonly state: ValueState;
  readonly onSet: (value: string, state: ValueState) => void;
}

function FacetRow({ of, value: { name, count }, state, onSet }: FacetRowProps) {
  const { t } = useTranslation('find');
  return (
    <li className={`facet-row ${state}`}>
      {/* biome-ignore lint/a11y/useSemanticElements: it has three states, and a count in it */}
      <button
        type="button"
        role="checkbox"
        aria-checked={state === 'out' ? 'mixed' : state === 'in'}
        aria-label={state === 'out' ? t('excludedValue', { name }) : name}
        className={count === 0 ? 'zero' : ''}
        onClick={() => onSet(name, state === 'off' ? 'in' : 'off')}
        onContextMenu={(event) => {
          event.preventDefault();
          onSet(name, state === 'out' ? 'off' : 'out');
        }}
      >
        <span className={`box ${state}`}>
          {state === 'in' && <Icon of={Check} />}
          {state === 'out' && <Icon of={Minus} />}
        </span>
        {of === 'level' && <LevelGlyph level={name} />}
        <span className={of === 'device' ? 'device value' : 'cut value'}>{name}</span>
        <span className="count">{count === undefined ? '' : formatNumber(count)}</span>
      </button>
      <button
        type="button"
        className="exclude"
        aria-label={t('exclude', { name })}
        title={t('exclude', { name })}
        onClick={() => onSet(name, state === 'out' ? 'off' : 'out')}
      >
        <Icon of={Minus} />
      </button>
    </li>
  );
}
