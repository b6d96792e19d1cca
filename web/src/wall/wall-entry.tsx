import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiUrl } from '../api/api.ts';
import type { Entry, Hit } from '../api/types.ts';
import { formatAgo, formatTime } from '../components/format.ts';
import { LevelGlyph, levelLook } from '../components/level.tsx';
import { entryQuery, repliesQuery } from './use-wall.ts';

const shownReplies = 3;

/** One entry, to be read from across the room. */
export function WallEntry({ hit, nowMs }: { readonly hit: Hit; readonly nowMs: number }) {
  const { t } = useTranslation('wall');
  const { data: entry } = useQuery(entryQuery(hit.id));
  const { data: replies = [] } = useQuery(repliesQuery(hit));
  const image = entry && firstImage(entry);
  const last = replies.at(-1);
  return (
    <article className="wall-entry" aria-labelledby="wall-title">
      <p className={`level ${levelLook(hit.level)}`}>
        <LevelGlyph level={hit.level} />
        {t('levelAgo', { level: hit.level, ago: formatAgo(hit.createdDate, nowMs) })}
      </p>
      <h1 id="wall-title" dir="auto">
        <WholeNames text={hit.title} />
      </h1>
      <p className="muted">
        {hit.ownerName ?? hit.owner}
        {' · '}
        {hit.logbooks.map(({ name }) => name).join(', ')}
        {last && ` · ${t('replies', { count: replies.length, time: formatTime(last.createdDate) })}`}
      </p>
      <p className={`lead ${image ? 'with-picture' : ''}`} dir="auto">
        {entry?.description ?? hit.snippet}
      </p>
      {image && (
        <figure>
          <img src={apiUrl(`/attachment/${encodeURIComponent(image.id)}`)} alt={image.filename} />
        </figure>
      )}
      {replies.length > 0 && (
        <ul className="wall-replies" aria-label={t('repliesLabel')}>
          {replies.slice(-shownReplies).map(({ id, createdDate, owner, ownerName, title, snippet }) => (
            <li key={id} className="cut">
              <time className="number">{formatTime(createdDate)}</time>{' '}
              <span className="muted">{ownerName ?? owner}</span> {snippet || title}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

/** Keeps device names from breaking at their hyphens, as long as they fit. */
function WholeNames({ text }: { readonly text: string }) {
  return text.split(/(\s+)/).map((word, at) =>
    /[:{_]/.test(word) ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: words have no other name
      <span key={at} className="whole">
        {word}
      </span>
    ) : (
      word
    ),
  );
}

function firstImage({ attachments }: Entry) {
  return attachments.find(({ contentType }) => /^image\/(png|jpeg|gif|webp|avif)$/.test(contentType ?? ''));
}
