import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { daysAgo, formatDay, formatTime } from '../components/format.ts';
import { LevelGlyph, levelLook } from '../components/level.tsx';
import { useToday } from '../components/use-today.ts';

interface WallListProps {
  readonly hits: readonly Hit[];
  readonly featuredId: number;
}

/** The newest entries; as many as the screen has room for. */
export function WallList({ hits, featuredId }: WallListProps) {
  const todayMs = useToday();
  const { t } = useTranslation('wall');
  return (
    <ol className="wall-list" aria-label={t('newest')}>
      {hits.map((hit) => (
        <li key={hit.id} className={hit.id === featuredId ? 'featured' : undefined}>
          <time className="number" dateTime={new Date(hit.createdDate).toISOString()}>
            {daysAgo(hit.createdDate, todayMs) > 0 ? formatDay(hit.createdDate) : formatTime(hit.createdDate)}
          </time>
          <LevelGlyph level={hit.level} />
          <div>
            <p className="title cut" dir="auto">
              {hit.title}
            </p>
            <p className="second cut">
              <span className={`level ${levelLook(hit.level)}`}>{hit.level}</span>
              {' · '}
              {hit.ownerName ?? hit.owner}
              {hit.snippet && ` · ${hit.snippet}`}
            </p>
          </div>
        </li>
      ))}
    </ol>
  );
}
