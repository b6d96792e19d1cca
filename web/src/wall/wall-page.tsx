import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import { ErrorBoundary } from '../app/error-boundary.tsx';
import { formatTime, formatWeekday } from '../components/format.ts';
import { Level, levelLook, levelRank } from '../components/level.tsx';
import { usePageName } from '../components/page-title.ts';
import { Problem } from '../components/problem.tsx';
import type { FindSearch } from '../find/find-search.ts';
import { useShortcut } from '../keys/use-shortcut.ts';
import { useLiveState } from '../live/live-connection.ts';
import { useBootstrap } from '../session/me.ts';
import { changeSetting, readSettings, shownTheme } from '../settings/settings.ts';
import { type Shift, shiftAt } from '../shifts/shift.ts';
import { shiftName } from '../shifts/shift-name.ts';
import { shiftCountsQuery } from '../shifts/shift-queries.ts';
import { useNewBuild } from './use-new-build.ts';
import { useFeatured, useNewestEntries, useUrgentEntries } from './use-wall.ts';
import { WallEntry } from './wall-entry.tsx';
import { WallList } from './wall-list.tsx';
import './wall.css';

/** The logbook for a screen on the wall: large, without controls, updated automatically. */
export function WallPage() {
  const { t } = useTranslation('wall');
  const { query } = useSearch({ strict: false }) as FindSearch;
  const bootstrap = useBootstrap();
  const nowMs = useNow();
  const newest = useNewestEntries(query);
  const shift = bootstrap && shiftAt(nowMs, bootstrap);
  const urgent = useUrgentEntries(query, shift, bootstrap?.configuration.levels ?? []);
  const listed = newest.data?.logs;
  const hit = useFeatured(listed && [...listed, ...urgent], shift?.startMs ?? 0, nowMs);
  useCursorHides();
  useNewBuild();
  useShortcut('theme', () => changeSetting('theme', nextTheme[shownTheme(readSettings())]));
  usePageName(t('title'));
  return (
    <div className="wall">
      <WallHead shift={shift} query={query} nowMs={nowMs} isStale={newest.isError} />
      <ErrorBoundary resetKey={String(hit?.id)}>
        {hit && newest.data ? (
          <main className="wall-columns">
            <WallEntry key={hit.id} hit={hit} nowMs={nowMs} />
            <WallList hits={newest.data.logs} featuredId={hit.id} />
          </main>
        ) : (
          <main className="wall-empty">
            {newest.error ? <Problem error={newest.error} /> : newest.data && <h1>{t('empty')}</h1>}
          </main>
        )}
      </ErrorBoundary>
    </div>
  );
}

const nextTheme = { light: 'dark', dark: 'night', night: 'light' } as const;

interface WallHeadProps {
  readonly shift: Shift | undefined;
  readonly query: string | undefined;
  readonly nowMs: number;
  readonly isStale: boolean;
}

function WallHead({ shift, query, nowMs, isStale }: WallHeadProps) {
  const { t } = useTranslation('wall');
  const state = useLiveState();
  const shown = isStale && state === 'live' ? 'off' : state;
  const since = useSince(shown);
  return (
    <header>
      <time className="clock">{formatTime(nowMs)}</time>
      <p className="today">
        {shift && <b>{t('shift', { name: shiftName(shift.name) })}</b>}
        {shift ? t('until', { day: formatWeekday(nowMs), time: formatTime(shift.endMs) }) : formatWeekday(nowMs)}
      </p>
      <p className={`following ${shown}`} role="status">
        {t(`state.${shown}`, { time: formatTime(since) })}
      </p>
      {shift && <ShiftCounts shift={shift} query={query} />}
    </header>
  );
}

/** Shows the number of entries in the shift of the three most severe levels, without levels such as Info. */
function ShiftCounts({ shift, query }: { readonly shift: Shift; readonly query: string | undefined }) {
  const { t } = useTranslation('wall');
  const { data } = useQuery(shiftCountsQuery(shift, query));
  const counts = (data?.levels.values ?? [])
    .filter(({ name }) => levelLook(name) !== 'info')
    .sort((a, b) => levelRank(a.name) - levelRank(b.name))
    .slice(0, 3);
  return (
    <ul className="wall-counts" aria-label={t('counts')}>
      {counts.map(({ name, count }) => (
        <li key={name} className={`level ${levelLook(name)}`}>
          <strong className="number">{count}</strong>
          <Level level={name} />
        </li>
      ))}
    </ul>
  );
}

/** The time of the last change of the state. */
function useSince(state: string): number {
  const [since, setSince] = useState({ state, atMs: serverNow() });
  if (since.state !== state) setSince({ state, atMs: serverNow() });
  return since.atMs;
}

function useNow(): number {
  const [nowMs, setNow] = useState(serverNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return nowMs;
}

const cursorMs = 3_000;

/** Hides the cursor once it has not moved for a moment. */
function useCursorHides(): void {
  useEffect(() => {
    const { classList } = document.documentElement;
    let timer = setTimeout(() => classList.add('no-cursor'), cursorMs);
    const show = () => {
      classList.remove('no-cursor');
      clearTimeout(timer);
      timer = setTimeout(() => classList.add('no-cursor'), cursorMs);
    };
    addEventListener('pointermove', show);
    return () => {
      removeEventListener('pointermove', show);
      clearTimeout(timer);
      classList.remove('no-cursor');
    };
  }, []);
}
