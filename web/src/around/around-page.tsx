import { useQueries, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { plotLimits } from '../../../packages/control-system/plot-block.ts';
import { serverNow } from '../api/server-clock.ts';
import type { Entry } from '../api/types.ts';
import { SidePage } from '../app/side-page.tsx';
import { formatId, formatMoment } from '../components/format.ts';
import { Level } from '../components/level.tsx';
import { usePageName } from '../components/page-title.ts';
import { Problem } from '../components/problem.tsx';
import { Problems } from '../devices/device-facts.tsx';
import { searchAround } from '../find/moment.ts';
import { entryQuery } from '../read/entry-queries.ts';
import { useBootstrap } from '../session/me.ts';
import '../plots/plot.css';
import '../print/print.css';
import './around.css';
import { AroundChart } from './around-chart.tsx';
import { alarmsQuery, curveQuery, entriesQueries, joinEntries } from './around-queries.ts';
import { type AroundSearch, aroundSearch, type Span, spans, usualSpan } from './around-span.ts';
import { AroundTable } from './around-table.tsx';
import type { LaneData } from './device-lane.tsx';

const minuteMs = 60_000;

/** Maximum number of devices shown: the first ones that the entry names. */
const maxDevices = plotLimits.names;

/** The surroundings of an entry in time: entries, and the alarms and curves of the devices that it names. */
export function AroundPage() {
  const { entryId = '' } = useParams({ strict: false });
  const { span = usualSpan, at } = useSearch({ strict: false }) as AroundSearch;
  const { data: entry, error, refetch } = useQuery(entryQuery(entryId));
  usePageName(entry && `${entry.title} – Logbook`);
  return (
    <SidePage className="around-page">
      {error && !entry && <Problem error={error} retry={() => void refetch()} entryId={entryId} />}
      {entry && <Around key={`${entryId} ${span} ${at}`} {...{ entry, span, at }} />}
    </SidePage>
  );
}

interface AroundProps {
  readonly entry: Entry;
  readonly span: Span;
  readonly at: number | undefined;
}

/** Returns the event at this time; undefined: the entry has none. */
const eventAt = ({ events }: Entry, at: number | undefined) => events.find(({ instant }) => instant === at);

function Around({ entry, span, at }: AroundProps) {
  const { t } = useTranslation('around');
  const [shows, show] = useState<'chart' | 'table'>('chart');
  const { id, createdDate, devices = [] } = entry;
  const moment = eventAt(entry, at)?.instant ?? createdDate;
  const whole = useMemo(() => ({ from: moment - spans[span], to: moment + spans[span] }), [moment, span]);
  const { lanes, down } = useLanes(devices.slice(0, maxDevices), whole);
  const { before, after } = entriesQueries(moment, whole);
  const pages = [useQuery(before), useQuery(after)] as const;
  const failed = pages.find((page) => page.error && !page.data);
  const { entries, isCut } = joinEntries(
    pages.map(({ data }) => data),
    whole,
  );
  return (
    <>
      <Head {...{ entry, span, at, shows }} onShow={show} />
      {failed && <Problem error={failed.error} retry={() => void failed.refetch()} />}
      <Problems problems={down} />
      {isCut && <p className="hint">{t('entriesCut')}</p>}
      {devices.length > maxDevices && <p className="hint">{t('devicesCut', { count: maxDevices })}</p>}
      {shows === 'chart' && <AroundChart {...{ entries, lanes, id, moment, whole }} />}
      <div className={shows === 'table' ? '' : 'print-only'}>
        <AroundTable {...{ entries, lanes, id }} />
      </div>
    </>
  );
}

/** The alarms and curves of the devices, and the sources that do not answer. */
function useLanes(names: readonly string[], whole: { readonly from: number; readonly to: number }) {
  const sources = useBootstrap()?.deviceSources ?? [];
  // Rounded up to a full minute, so that the server can answer other readers from its cache.
  const [nowMs] = useState(() => Math.ceil(serverNow() / minuteMs) * minuteMs);
  const past = { from: whole.from, to: Math.max(whole.from + minuteMs, Math.min(whole.to, nowMs)) };
  const histories = useQueries({
    queries: names.map((name) => ({ ...curveQuery(name, past), enabled: sources.includes('history') })),
  });
  const alarms = useQueries({
    queries: names.map((name) => ({ ...alarmsQuery(name, past), enabled: sources.includes('alarms') })),
  });
  const lanes = names.map((name, at): LaneData => {
    const [curve, log] = [histories[at], alarms[at]];
    return { name, history: curve?.data, alarms: log?.data, error: curve?.error ?? log?.error ?? null };
  });
  const unavailable = lanes
    .flatMap(({ history, alarms: log }) => [...(history?.problems ?? []), ...(log?.problems ?? [])])
    .filter(({ code }) => code === 'unavailable');
  const down = (['history', 'alarms'] as const).flatMap(
    (source) => unavailable.find((problem) => problem.source === source) ?? [],
  );
  return { lanes, down };
}

interface HeadProps extends AroundProps {
  readonly shows: 'chart' | 'table';
  readonly onShow: (shows: 'chart' | 'table') => void;
}

function Head({ entry, span, at, shows, onShow }: HeadProps) {
  const { t } = useTranslation('around');
  const { id, title, level, createdDate } = entry;
  const event = eventAt(entry, at);
  const params = { entryId: String(id) };
  const navigate = useNavigate();
  const choose = (one: Span, instant: number | undefined) => {
    const search = aroundSearch({ span: one, at: instant });
    void navigate({ to: '/entries/$entryId/around', params, search, replace: true });
  };
  return (
    <header>
      <h1>{t('title')}</h1>
      <p className="around-entry">
        <Level level={level} />
        <Link to="/entries/$entryId" params={params} search={{}} dir="auto">
          {title}
        </Link>
        <span className="muted number">
          {formatId(id)}, {formatMoment(createdDate)}
        </span>
      </p>
      <div className="around-tools">
        <fieldset className="segment" aria-label={t('span')}>
          {(Object.keys(spans) as Span[]).map((one) => (
            <button
              key={one}
              type="button"
              className="button"
              aria-pressed={one === span}
              onClick={() => choose(one, event?.instant)}
            >
              {t(`spans.${one}`)}
            </button>
          ))}
        </fieldset>
        <MomentChoice entry={entry} instant={event?.instant} onChange={(instant) => choose(span, instant)} />
        <fieldset className="segment" aria-label={t('shown')}>
          {(['chart', 'table'] as const).map((one) => (
            <button key={one} type="button" className="button" aria-pressed={shows === one} onClick={() => onShow(one)}>
              {t(one)}
            </button>
          ))}
        </fieldset>
        <Link className="button small" to="/" search={searchAround(event?.instant ?? createdDate)}>
          {t('asSearch')}
        </Link>
      </div>
    </header>
  );
}

interface MomentChoiceProps extends Pick<AroundProps, 'entry'> {
  /** Undefined: the moment at which the entry was created. */
  readonly instant: number | undefined;
  readonly onChange: (instant: number | undefined) => void;
}

/** Chooses the moment in the middle of the chart; nothing if the entry has only one. */
function MomentChoice({ entry: { createdDate, events }, instant, onChange }: MomentChoiceProps) {
  const { t } = useTranslation('around');
  if (events.length === 0) return null;
  return (
    <select
      className="input"
      aria-label={t('moment')}
      value={instant ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
    >
      <option value="">{t('created', { when: formatMoment(createdDate) })}</option>
      {events.map((event, position) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: events have no other identity
        <option key={position} value={event.instant}>
          {event.name}, {formatMoment(event.instant)}
        </option>
      ))}
    </select>
  );
}
