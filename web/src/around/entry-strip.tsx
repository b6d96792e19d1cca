import { Link, useNavigate } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { useViewport } from '../app/viewport.ts';
import { formatId, formatNumber } from '../components/format.ts';
import { Hint } from '../components/hint.tsx';
import { LevelGlyph, levelLook, levelRank } from '../components/level.tsx';
import { Menu } from '../components/menu.tsx';
import { readingTime } from '../devices/current-value.tsx';
import { type MarkGroup, placeMarks } from './place-marks.ts';
import { Strip } from './strip.tsx';
import { isShown, placeOf, useChart } from './use-chart.ts';

/** Pixels that a mark with a shortened title needs. */
const labelRoom = 90;

interface EntryStripProps {
  readonly entries: readonly Hit[];
  /** Id of the entry whose surroundings are shown. */
  readonly id: number;
}

/** Marks that open the entries. Entries at the same place open as a menu. */
export function EntryStrip({ entries, id }: EntryStripProps) {
  const { t } = useTranslation('around');
  const chart = useChart();
  const distance = useViewport() === 'phone' ? 46 : 28;
  const shown = entries.filter(({ createdDate }) => isShown(chart, createdDate));
  const groups = placeMarks(shown, ({ createdDate }) => placeOf(chart, createdDate), {
    distance,
    width: chart.width - chart.gutter,
  });
  return (
    <Strip label={t('entries')} className="around-entries">
      <ol aria-label={t('entries')}>
        {groups.map((group) => {
          const has = group.items.some((hit) => hit.id === id);
          return (
            <li key={group.items[0]?.id} className={has ? 'is-this' : ''} style={{ left: group.left }}>
              {group.items.length === 1 ? <Mark group={group} /> : <Several group={group} />}
            </li>
          );
        })}
      </ol>
    </Strip>
  );
}

function Mark({ group: { items, room } }: { readonly group: MarkGroup<Hit> }) {
  const [hit] = items;
  if (!hit) return null;
  const { id, level, title } = hit;
  return (
    <Hint text={nameOf(hit)}>
      <Link
        className={`around-mark level ${levelLook(level)}`}
        to="/entries/$entryId"
        params={{ entryId: String(id) }}
        search={{}}
        aria-label={nameOf(hit)}
      >
        <LevelGlyph level={level} />
        {room >= labelRoom && (
          <span className="cut" dir="auto" style={{ maxWidth: Math.min(220, room - 36) }}>
            {title}
          </span>
        )}
      </Link>
    </Hint>
  );
}

function Several({ group: { items } }: { readonly group: MarkGroup<Hit> }) {
  const { t } = useTranslation('around');
  const navigate = useNavigate();
  const [worst] = [...items].sort((one, other) => levelRank(one.level) - levelRank(other.level));
  const level = worst?.level ?? '';
  const label = t('several', { count: items.length, shown: formatNumber(items.length), level });
  const open = (id: number) => navigate({ to: '/entries/$entryId', params: { entryId: String(id) }, search: {} });
  return (
    <Menu
      label={label}
      trigger={
        <button type="button" className={`around-mark level ${levelLook(level)}`} aria-label={label} title={label}>
          <LevelGlyph level={level} />
          <span className="number">{items.length}</span>
        </button>
      }
      items={items.map((hit) => ({ label: `${nameOf(hit)} ${formatId(hit.id)}`, onAction: () => void open(hit.id) }))}
    />
  );
}

/** Formats the name of a mark as `Problem, 03:12:07: RF trip`. */
const nameOf = ({ level, createdDate, title }: Hit): string => `${level}, ${readingTime(createdDate)}: ${title}`;
