import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { formatDay, formatId, formatTime } from '../components/format.ts';
import { Level, LevelGlyph } from '../components/level.tsx';
import { severityLook } from '../devices/current-value.tsx';
import { DeviceLink } from '../devices/device-link.tsx';
import { isTimed } from './alarm-strip.tsx';
import type { LaneData } from './device-lane.tsx';
import { sampleText } from './value-at.ts';

/** Maximum number of values listed per device. */
const maxValues = 50;

interface Row {
  readonly key: string;
  readonly at: number;
  readonly what: ReactNode;
  readonly name: ReactNode;
  readonly text: ReactNode;
}

interface AroundTableProps {
  readonly entries: readonly Hit[];
  readonly lanes: readonly LaneData[];
  readonly id: number;
}

/** Entries, alarms and values in chronological order. */
export function AroundTable({ entries, lanes, id }: AroundTableProps) {
  const { t } = useTranslation('around');
  const rows = [
    ...entries.map((hit) => entryRow(hit, hit.id === id ? t('thisEntry') : '')),
    ...lanes.flatMap((lane) => [...alarmRows(lane, t('alarm')), ...valueRows(lane, t('value'))]),
  ].sort((one, other) => one.at - other.at);
  const cut = lanes.filter(({ history }) => (history?.samples.length ?? 0) > maxValues);
  return (
    <>
      {cut.length > 0 && <p className="hint">{t('valuesCut', { count: maxValues })}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <section className="around-table" tabIndex={0} aria-label={t('table')}>
        <table>
          <thead>
            <tr>
              {(['time', 'what', 'name', 'details'] as const).map((column) => (
                <th key={column} scope="col">
                  {t(`columns.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, at, what, name, text }) => (
              <tr key={key}>
                <td className="number">{`${formatDay(at)}, ${formatTime(at, true)}`}</td>
                <td>{what}</td>
                <td>{name}</td>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function entryRow({ id, level, title, createdDate: at }: Hit, note: string): Row {
  const name = (
    <Link to="/entries/$entryId" params={{ entryId: String(id) }} search={{}}>
      {formatId(id)}
    </Link>
  );
  const text = (
    <span dir="auto">
      {title} {note !== '' && <span className="muted">({note})</span>}
    </span>
  );
  return { key: `entry ${id}`, at, what: <Level level={level} />, name, text };
}

function alarmRows({ name, alarms }: LaneData, what: string): Row[] {
  return (alarms?.alarms ?? []).filter(isTimed).map(({ at, severity, message, value }, position) => ({
    ...{ key: `alarm ${name} ${position}`, at, what, name: <DeviceLink name={name} /> },
    text: (
      <span className="around-alarm">
        <span className={`level ${severityLook(severity)}`}>
          <LevelGlyph level={severityLook(severity)} /> {severity}
        </span>{' '}
        {[message, value].filter((one) => one !== '').join(', ')}
      </span>
    ),
  }));
}

/** Lists the values. If there are too many, lists every n-th one. */
function valueRows({ name, history }: LaneData, what: string): Row[] {
  if (!history) return [];
  const { samples } = history;
  const step = Math.max(1, samples.length / maxValues);
  const listed = Array.from({ length: Math.min(maxValues, samples.length) }, (_, at) => samples[Math.floor(at * step)]);
  return listed.flatMap((sample, position) => {
    if (!sample) return [];
    const severity = sample.severity === 'NONE' ? '' : ` (${sample.severity})`;
    const text = `${sampleText(history, sample)}${severity}`;
    return [{ key: `value ${name} ${position}`, at: sample.at, what, name: <DeviceLink name={name} />, text }];
  });
}
