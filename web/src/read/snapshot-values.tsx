import { useInfiniteQuery } from '@tanstack/react-query';
import { EqualNot, RefreshCw, Table2 } from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { SnapshotComparison, SnapshotRow } from '../../../packages/control-system/device-view.ts';
import { api, dataOf } from '../api/api.ts';
import { formatNumber } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { LevelGlyph } from '../components/level.tsx';
import { severityLook } from '../devices/current-value.tsx';
import { DeviceLink } from '../devices/device-link.tsx';
import { formatValue } from '../plots/format-value.ts';
import { useBootstrap } from '../session/me.ts';
import './snapshot-values.css';

export interface SnapshotValuesProps {
  readonly entryId: number;
  readonly snapshotId: string;
}

/** The saved values of a snapshot, and the current ones. They are read when a reader asks for them. */
export function SnapshotValues({ entryId, snapshotId }: SnapshotValuesProps) {
  const { t } = useTranslation('device');
  const hasLive = useBootstrap()?.deviceSources.includes('live') ?? false;
  const [isWanted, want] = useState(false);
  const { data, error, isFetching, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({
    queryKey: ['snapshot', entryId, snapshotId] as const,
    queryFn: async ({ pageParam: from, signal }): Promise<SnapshotComparison> => {
      const params = { path: { logId: String(entryId), snapshotId }, query: { from } };
      return dataOf(await api.GET('/logs/{logId}/snapshots/{snapshotId}', { params, signal }));
    },
    initialPageParam: 0,
    getNextPageParam: ({ rows, total }, _, from) =>
      rows.length > 0 && from + rows.length < total ? from + rows.length : undefined,
    enabled: isWanted,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const comparison = useMemo(() => joined(data?.pages ?? []), [data]);
  const action = isWanted ? 'again' : hasLive ? 'compare' : 'show';
  return (
    <div className="snapshot">
      <button
        type="button"
        className="button small"
        aria-busy={isFetching}
        onClick={() => (isWanted ? void refetch() : want(true))}
      >
        <Icon of={isWanted ? RefreshCw : Table2} />
        {t(`snapshot.${action}`)}
      </button>
      <div role="status">
        {isFetching && !comparison && <p className="hint">{t('snapshot.reading')}</p>}
        {error && <p className="hint">{error.message}</p>}
        {comparison && <Summary comparison={comparison} hasLive={hasLive} />}
      </div>
      {comparison && comparison.rows.length > 0 && <Values rows={comparison.rows} hasLive={hasLive} />}
      {hasNextPage && (
        <button type="button" className="button small" aria-busy={isFetching} onClick={() => void fetchNextPage()}>
          {t('snapshot.more')}
        </button>
      )}
    </div>
  );
}

/** Joins the rows that were read one part after the other; undefined: no part was read. */
function joined(parts: readonly SnapshotComparison[]): SnapshotComparison | undefined {
  const last = parts.at(-1);
  return last && { ...last, rows: parts.flatMap(({ rows }) => rows) };
}

interface SummaryProps {
  readonly comparison: SnapshotComparison;
  readonly hasLive: boolean;
}

/** Says how many values differ, and how many are missing. */
function Summary({ comparison: { rows, total, excluded, problems }, hasLive }: SummaryProps) {
  const { t } = useTranslation('device');
  const different = rows.filter(({ isDifferent }) => isDifferent).length;
  const missing = rows.filter((row) => row.problems.length > 0).length;
  const counted = (count: number) => ({ count, shown: formatNumber(count) });
  return (
    <p className="hint">
      {[
        ...problems.map(({ code }) => t(`snapshot.problems.${code}`)),
        ...(problems.length + rows.length === 0 ? [t('snapshot.problems.empty')] : []),
        ...(rows.length > 0 && hasLive ? [t('snapshot.different', counted(different))] : []),
        ...(missing > 0 ? [t('snapshot.lacking', counted(missing))] : []),
        ...(total > rows.length
          ? [t('snapshot.cut', { shown: formatNumber(rows.length), all: formatNumber(total) })]
          : []),
        ...(excluded > 0 ? [t('snapshot.excluded', counted(excluded))] : []),
      ].join(' ')}
    </p>
  );
}

function Values({ rows, hasLive }: { readonly rows: readonly SnapshotRow[]; readonly hasLive: boolean }) {
  const { t } = useTranslation('device');
  return (
    <table aria-label={t('snapshots')}>
      <thead>
        <tr>
          <th scope="col">{t('snapshot.device')}</th>
          <th scope="col">{t('snapshot.saved')}</th>
          {hasLive && <th scope="col">{t('snapshot.now')}</th>}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a snapshot may have a device twice
          <Row key={at} row={row} hasLive={hasLive} />
        ))}
      </tbody>
    </table>
  );
}

/** Drawn once: there may be thousands of rows before those that are added. */
const Row = memo(({ row, hasLive }: { readonly row: SnapshotRow; readonly hasLive: boolean }) => (
  <tr className={row.isDifferent ? 'differs' : undefined}>
    <th scope="row">
      <DeviceLink name={row.name} />
    </th>
    <td>
      <Value row={row} of="saved" />
    </td>
    {hasLive && (
      <td>
        {row.isDifferent && <Different difference={row.difference} />}
        <Value row={row} of="current" />
      </td>
    )}
  </tr>
));

const sources = { saved: 'snapshots', current: 'live' } as const;

/** A value with its alarm, or why there is none. */
function Value({ row, of }: { readonly row: SnapshotRow; readonly of: keyof typeof sources }) {
  const { t } = useTranslation('device');
  const value = row[of];
  const problem = row.problems.find(({ source }) => source === sources[of]);
  if (!value) return <span className="muted">{problem ? t(`snapshot.missing.${problem.code}`) : '–'}</span>;
  const { text, severity } = value;
  return (
    <>
      {text}{' '}
      {severity !== 'NONE' && (
        <span className={`level ${severityLook(severity)}`}>
          <LevelGlyph level={severityLook(severity)} /> {severity}
        </span>
      )}
    </>
  );
}

function Different({ difference }: Pick<SnapshotRow, 'difference'>) {
  const { t } = useTranslation('device');
  const sign = difference !== null && difference > 0 ? '+' : '';
  return (
    <span className="difference">
      {difference !== null && `${sign}${formatValue(difference)}`}
      <Icon of={EqualNot} />
      <span className="visually-hidden">{t('snapshot.differs')}</span>
    </span>
  );
}
