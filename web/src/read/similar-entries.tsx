import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import type { Hit } from '../api/types.ts';
import { daysAgo, formatDay, formatTime } from '../components/format.ts';
import { LevelGlyph } from '../components/level.tsx';
import { Problem } from '../components/problem.tsx';
import { useBootstrap } from '../session/me.ts';

interface SimilarEntry {
  readonly entry: Hit;
  /** Devices and words by which it is similar. */
  readonly like: readonly string[];
}

/** The entries of similar meaning, read once the section is open. Nothing where the service cannot compare meanings. */
export function SimilarEntries({ to }: { readonly to: number }) {
  const { t } = useTranslation('read');
  const [isOpen, setOpen] = useState(false);
  if (!useBootstrap()?.hasMeaning) return null;
  return (
    <details className="similar on-screen" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="section-title">{t('similar')}</summary>
      {isOpen && <SimilarList to={to} />}
    </details>
  );
}

function SimilarList({ to }: { readonly to: number }) {
  const { t } = useTranslation('read');
  const { data, error, refetch } = useQuery({
    queryKey: ['similar', to],
    queryFn: async ({ signal }): Promise<readonly SimilarEntry[]> =>
      dataOf(await api.GET('/logs/{logId}/similar', { params: { path: { logId: String(to) } }, signal })),
  });
  if (error && !data) return <Problem error={error} retry={() => void refetch()} />;
  if (data?.length === 0) return <p className="hint">{t('noSimilar')}</p>;
  return (
    <ul>
      {data?.map((one) => (
        <SimilarLine key={one.entry.id} {...one} />
      ))}
    </ul>
  );
}

function SimilarLine({ entry, like }: SimilarEntry) {
  const { id, title, level, logbooks, owner, ownerName, createdDate } = entry;
  const time = formatTime(createdDate);
  return (
    <li>
      <Link to="/entries/$entryId" params={{ entryId: String(id) }} search={(search) => search}>
        <LevelGlyph level={level} named />
        <span className="similar-title" dir="auto">
          {title}
        </span>
        <time className="number" dateTime={new Date(createdDate).toISOString()}>
          {daysAgo(createdDate) === 0 ? time : `${formatDay(createdDate)} ${time}`}
        </time>
        <span className="cut">
          {[logbooks.map(({ name }) => name).join(', '), ownerName ?? owner].join(' · ')}
          {like.length > 0 && ` · ≈ ${like.join(', ')}`}
        </span>
      </Link>
    </li>
  );
}
