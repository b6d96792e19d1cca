import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Facets, Hit } from '../api/types.ts';
import { daysAgo, formatDay, formatId, formatNumber, formatTime } from '../components/format.ts';
import { LevelGlyph, levelLook, levelRank } from '../components/level.tsx';
import { Problem } from '../components/problem.tsx';
import { useToday } from '../components/use-today.ts';
import { type Brush, BrushLine, brushTimes } from '../find/brush.tsx';
import type { FindSearch } from '../find/find-search.ts';
import { Histogram } from '../find/histogram.tsx';
import { withTimes, withValue } from '../find/query-terms.ts';
import { facetsQuery, pageQuery, pageSize } from '../find/search-queries.ts';
import { deviceSearch } from './device-queries.ts';

/** The entries that mention a device and that the reader may see: over time, by level, and the newest. */
export function DeviceEntries({ name }: { readonly name: string }) {
  const { t } = useTranslation('device');
  const search = deviceSearch(name);
  const { data: page, error, refetch } = useQuery(pageQuery(search, 0, undefined));
  const { data: facets } = useQuery(facetsQuery(search));
  const count = page?.hitCount ?? 0;
  return (
    <section aria-labelledby="device-entries">
      <h2 id="device-entries">
        {t('entries')} {page && <span className="muted number">{formatNumber(count)}</span>}
      </h2>
      {error && !page && <Problem error={error} retry={() => void refetch()} />}
      {page && count === 0 && <p className="hint">{t('noEntries')}</p>}
      {facets && count > 0 && <Timeline search={search} facets={facets} />}
      <ul className="device-entries">
        {page?.logs.map((hit) => (
          <EntryLine key={hit.id} hit={hit} />
        ))}
      </ul>
      {count > 0 && (
        <Link className="button small" to="/" search={search}>
          {count > pageSize ? t('showAll', { count, shown: formatNumber(count) }) : t('showAsSearch')}
        </Link>
      )}
    </section>
  );
}

interface TimelineProps {
  readonly search: FindSearch;
  readonly facets: Facets;
}

/** The entries over time, and by level. A chosen part or level opens as a search. */
function Timeline({ search, facets }: TimelineProps) {
  const { t } = useTranslation('device');
  const navigate = useNavigate();
  const [brush, setBrush] = useState<Brush>();
  const zoomTo = (chosen: Brush) => {
    const { start, end } = brushTimes(facets.time, chosen);
    const query = withTimes(search.query, start, end);
    void navigate({ to: '/', search: { ...search, ...(query !== undefined && { query }) } });
  };
  const levels = [...facets.levels.values].sort((one, other) => levelRank(one.name) - levelRank(other.name));
  return (
    <>
      <p className="device-levels">
        {brush && <BrushLine time={facets.time} brush={brush} />}
        {!brush &&
          levels.map(({ name, count }) => {
            const query = withValue(search.query, 'level', name, 'in');
            return (
              <Link
                key={name}
                className={`chip level ${levelLook(name)}`}
                to="/"
                search={{ ...search, ...(query !== undefined && { query }) }}
                aria-label={t('ofLevel', { name, shown: formatNumber(count) })}
              >
                <LevelGlyph level={name} />
                {name} <span className="number">{formatNumber(count)}</span>
              </Link>
            );
          })}
      </p>
      <Histogram time={facets.time} brush={brush} onBrush={setBrush} onZoom={zoomTo} />
    </>
  );
}

function EntryLine({ hit }: { readonly hit: Hit }) {
  const todayMs = useToday();
  const { id, title, level, logbooks, owner, ownerName, createdDate } = hit;
  const about = [logbooks.map(({ name }) => name).join(', '), ownerName ?? owner];
  return (
    <li>
      <Link to="/entries/$entryId" params={{ entryId: String(id) }} search={{}}>
        <LevelGlyph level={level} named />
        <span className="entry-title" dir="auto">
          {title} <span className="muted number">{formatId(id)}</span>
        </span>
        <time className="muted number" dateTime={new Date(createdDate).toISOString()}>
          {daysAgo(createdDate, todayMs) === 0
            ? formatTime(createdDate)
            : `${formatDay(createdDate)} ${formatTime(createdDate)}`}
        </time>
        <span className="muted cut">{about.join(' · ')}</span>
      </Link>
    </li>
  );
}
