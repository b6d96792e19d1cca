import { Link } from '@tanstack/react-router';
import type { SimilarEntry } from '../api/types.ts';
import { daysAgo, formatDay, formatTime } from '../components/format.ts';
import { LevelGlyph } from '../components/level.tsx';
import { useToday } from '../components/use-today.ts';
import './similar-lines.css';

export interface SimilarLinesProps {
  readonly entries: readonly SimilarEntry[];
  /** Whether each opens in another tab, so that the page with the list stays. */
  readonly isApart?: boolean;
}

/** Links to similar entries, with the reasons why they are similar. */
export function SimilarLines({ entries, isApart = false }: SimilarLinesProps) {
  return (
    <ul className="similar-lines">
      {entries.map((one) => (
        <SimilarLine key={one.entry.id} {...one} isApart={isApart} />
      ))}
    </ul>
  );
}

function SimilarLine({ entry, like, isApart }: SimilarEntry & { readonly isApart: boolean }) {
  const todayMs = useToday();
  const { id, title, level, logbooks, owner, ownerName, createdDate } = entry;
  const time = formatTime(createdDate);
  return (
    <li>
      <Link
        to="/entries/$entryId"
        params={{ entryId: String(id) }}
        search={(search) => (isApart ? {} : search)}
        {...(isApart && { target: '_blank' })}
      >
        <LevelGlyph level={level} named />
        <span className="similar-title" dir="auto">
          {title}
        </span>
        <time className="number" dateTime={new Date(createdDate).toISOString()}>
          {daysAgo(createdDate, todayMs) === 0 ? time : `${formatDay(createdDate)} ${time}`}
        </time>
        <span className="cut">
          {[logbooks.map(({ name }) => name).join(', '), ownerName ?? owner].join(' · ')}
          {like.length > 0 && ` · ≈ ${like.join(', ')}`}
        </span>
      </Link>
    </li>
  );
}
