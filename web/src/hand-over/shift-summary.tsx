import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { formatTime } from '../components/format.ts';
import { Level, LevelGlyph, levelRank } from '../components/level.tsx';

interface LevelCountsProps {
  readonly levels: readonly string[];
  readonly counts: readonly { readonly name: string; readonly count: number }[];
}

/** The number of entries of each level in the shift. */
export function LevelCounts({ levels, counts }: LevelCountsProps) {
  const { t } = useTranslation('hand-over');
  const names = [...new Set([...levels, ...counts.map(({ name }) => name)])];
  return (
    <ul className="level-counts" aria-label={t('counts')}>
      {names
        .sort((a, b) => levelRank(a) - levelRank(b))
        .map((name) => {
          const count = counts.find((one) => one.name === name)?.count ?? 0;
          return (
            <li key={name}>
              <strong className={`number ${count === 0 ? 'zero' : ''}`}>{count}</strong>
              <Level level={name} />
            </li>
          );
        })}
    </ul>
  );
}

/** Number of unanswered entries shown at first: the text below them must stay in view. */
const fewHits = 4;

/** Lists unanswered entries of the levels that ask for an answer. */
export function Unanswered({ hits }: { readonly hits: readonly Hit[] }) {
  const { t } = useTranslation('hand-over');
  const [showsAll, showAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // The button that was pressed has gone.
    if (showsAll) list.current?.querySelectorAll('a')[fewHits]?.focus();
  }, [showsAll]);
  const shown = showsAll ? hits : hits.slice(0, fewHits);
  return (
    <section className="unanswered" aria-labelledby="unanswered-title">
      <h2 id="unanswered-title">{t('unanswered', { count: hits.length })}</h2>
      <ul ref={list}>
        {shown.map((hit) => (
          <li key={hit.id}>
            <LevelGlyph level={hit.level} named />
            <div className="grow">
              <Link to="/entries/$entryId" params={{ entryId: String(hit.id) }} search={{}} dir="auto">
                {hit.title}
              </Link>
              <p className="cut">
                {hit.logbooks.map(({ name }) => name).join(', ')}
                {' · '}
                {hit.ownerName ?? hit.owner}
                {hit.snippet && ` · ${hit.snippet}`}
              </p>
            </div>
            <time className="muted number">{formatTime(hit.createdDate)}</time>
          </li>
        ))}
      </ul>
      {shown.length < hits.length && (
        <button type="button" className="button ghost small" onClick={() => showAll(true)}>
          {t('moreUnanswered', { count: hits.length - shown.length })}
        </button>
      )}
    </section>
  );
}
