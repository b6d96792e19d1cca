import { useQuery } from '@tanstack/react-query';
import { Outlet, useNavigate, useParams, useRouter, useSearch } from '@tanstack/react-router';
import { lazy, useCallback, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorBoundary } from '../app/error-boundary.tsx';
import { SidePanel } from '../app/side-panel.tsx';
import { useViewport } from '../app/viewport.ts';
import { LatePart } from '../components/late-part.tsx';
import { CountSearches } from '../inbox/count-searches.tsx';
import { holdKeys } from '../keys/held-keys.ts';
import { HeldKeys } from '../keys/held-keys-of.tsx';
import { useShortcut } from '../keys/use-shortcut.ts';
import { entryQuery, groupIdOf } from '../read/entry-queries.ts';
import { useSettings } from '../settings/settings.ts';
import { FilterPanel } from './filter-panel.tsx';
import { FindContext, type FindState } from './find-context.ts';
import type { FindSearch } from './find-search.ts';
import './find.css';
import { ListDivider } from './list-divider.tsx';
import { ListPane } from './list-pane.tsx';
import type { ListHandle } from './result-list.tsx';
import { useResults } from './use-results.ts';

const PrintedSearch = lazy(async () => ({ default: (await import('../print/printed-search.tsx')).PrintedSearch }));
const FilterDrawer = lazy(async () => ({ default: (await import('./filter-drawer.tsx')).FilterDrawer }));

/** The list with its filters, and the open entry next to it. */
export function FindPage() {
  const { t } = useTranslation('find');
  const viewport = useViewport();
  const { listWidth } = useSettings();
  const list = useRef<ListHandle>(null);
  const { search, openId, state, results, open } = useFindState(list);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const openDrawer = () => {
    holdKeys();
    setDrawerOpen(true);
  };
  useShortcut('filters', () => {
    if (viewport === 'wide') document.querySelector<HTMLElement>('.side .facet button')?.focus();
    else openDrawer();
  });
  useShortcut('next', () => state.step(1, true));
  useShortcut('previous', () => state.step(-1, true));
  const showsEntry = openId !== undefined;
  const width = viewport === 'wide' ? `${listWidth}px` : undefined;
  return (
    <FindContext value={state}>
      <div
        className={`find ${showsEntry ? 'has-entry' : 'has-list'}`}
        style={width ? ({ '--list-width': width } as React.CSSProperties) : undefined}
      >
        {viewport !== 'phone' && viewport !== 'tablet' && (
          <SidePanel>{viewport === 'wide' && <FilterPanel search={search} onChange={state.change} />}</SidePanel>
        )}
        <section className="mid" aria-label={t('results')} inert={viewport === 'phone' && showsEntry}>
          <ListPane
            search={search}
            results={results}
            openId={openId}
            openPosition={state.position}
            onOpen={open}
            onChange={state.change}
            onFilters={viewport === 'wide' ? undefined : openDrawer}
            handle={list}
          />
          {viewport === 'wide' && <ListDivider />}
        </section>
        <div className="read-place" hidden={viewport === 'phone' && !showsEntry}>
          <ErrorBoundary resetKey={String(openId)} isOfEntry>
            {showsEntry ? <Outlet /> : <NothingOpen />}
          </ErrorBoundary>
        </div>
        {isDrawerOpen && viewport !== 'wide' && (
          <LatePart onClose={() => setDrawerOpen(false)}>
            <FilterDrawer search={search} onChange={state.change} onClose={() => setDrawerOpen(false)} />
            <HeldKeys of=".drawer" />
          </LatePart>
        )}
        {!showsEntry && <ListPrint search={search} />}
        <CountSearches search={search} isListed={viewport === 'wide' || isDrawerOpen} />
      </div>
    </FindContext>
  );
}

/** Prints the list on demand. */
function ListPrint({ search }: { readonly search: FindSearch }) {
  const [isPrinting, setPrinting] = useState(false);
  const end = useCallback(() => setPrinting(false), []);
  useShortcut('print', () => setPrinting(true));
  if (!isPrinting) return null;
  return (
    <LatePart onClose={end}>
      <PrintedSearch search={search} onClose={end} />
    </LatePart>
  );
}

function NothingOpen() {
  const { t } = useTranslation('find');
  return (
    <main className="nothing-open">
      <h1 className="visually-hidden">{t('list')}</h1>
      <p>{t('chooseEntry')}</p>
    </main>
  );
}

/** Search, open entry and hits, and how they change. */
function useFindState(list: React.RefObject<ListHandle | null>) {
  const navigate = useNavigate();
  const router = useRouter();
  const params = useParams({ strict: false });
  const raw = useSearch({ strict: false }) as FindSearch;
  // Keep the same object while the search is the same, for the hooks that depend on it.
  const { query, sort, view } = raw;
  const search = useMemo(
    (): FindSearch => ({ ...(query && { query }), ...(sort && { sort }), ...(view && { view }) }),
    [query, sort, view],
  );
  const openId = params.entryId === undefined ? undefined : Number(params.entryId);
  const results = useResults(search);
  const open = useCallback(
    (id: number, replace = false) =>
      void navigate({ to: '/entries/$entryId', params: { entryId: String(id) }, search, replace }),
    [navigate, search],
  );
  const { data: entry } = useQuery({ ...entryQuery(String(openId)), enabled: openId !== undefined });
  const position = openId === undefined ? -1 : results.indexOf(openId, entry && groupIdOf(entry));
  const { hitAt, hitCount, indexOf } = results;
  const state = useMemo((): FindState => {
    const step = (by: number, withFocus = false) => {
      // Keys may be pressed faster than pages are shown.
      const askedId = Number(/^\/entries\/(\d+)$/.exec(router.history.location.pathname)?.[1]);
      const from = Number.isNaN(askedId) || askedId === openId ? position : indexOf(askedId);
      const index = from < 0 ? 0 : from + by;
      const next = hitAt(index);
      if (!next) return false;
      // Moving from one entry to the next adds no step to the history of the browser.
      open(next.id, openId !== undefined);
      if (withFocus) list.current?.focus(index);
      else list.current?.reveal(index);
      return true;
    };
    const change = (next: FindSearch) => void navigate({ to: router.state.location.pathname as '/', search: next });
    return { search, hitCount, position, hit: hitAt(position), step, change };
  }, [search, hitCount, position, hitAt, indexOf, open, openId, list, navigate, router]);
  return { search, openId, state, results, open };
}
