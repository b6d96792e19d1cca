import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatId } from '../components/format.ts';
import { Level, levelLook } from '../components/level.tsx';
import { useJustSent } from '../drafts/sent-entries.ts';
import { threadQuery } from '../find/search-queries.ts';
import { initials } from '../session/account-menu.tsx';
import { EntryTime } from './entry-time.tsx';
import { PrintedFiles } from './file-list.tsx';
import { Prose } from './prose.tsx';

/** The other entries of the thread with their texts, oldest first. */
export function ThreadList({ groupId, of }: { readonly groupId: string; readonly of: number }) {
  const { t } = useTranslation('read');
  const { t: tCommon } = useTranslation();
  const justSent = useJustSent();
  const { data } = useQuery(threadQuery(groupId));
  const others = data?.filter(({ id }) => id !== of) ?? [];
  if (others.length === 0) return null;
  return (
    <section className="thread" aria-labelledby="thread-title">
      <h2 className="section-title" id="thread-title">
        {t('thread', { count: others.length })}
      </h2>
      {others.map((entry) => (
        <article key={entry.id} className="thread-entry" aria-label={entry.title}>
          <span className="avatar" aria-hidden="true">
            {initials(entry.ownerName ?? entry.owner)}
          </span>
          <div>
            <div className="meta">
              <b>{entry.ownerName ?? entry.owner}</b>
              {levelLook(entry.level) !== 'info' && <Level level={entry.level} />}
              {justSent.has(entry.id) ? (
                <b className="just-sent">{tCommon('justNow')}</b>
              ) : (
                <EntryTime ms={entry.createdDate} />
              )}
              <span className="print-only number">{formatId(entry.id)}</span>
            </div>
            <h3>
              <Link to="/entries/$entryId" params={{ entryId: String(entry.id) }} search={(search) => search}>
                {entry.title}
              </Link>
            </h3>
            <Prose source={entry.source} plots={entry} />
            <div className="print-only">
              <PrintedFiles files={entry.attachments} source={entry.source} />
            </div>
          </div>
        </article>
      ))}
    </section>
  );
}
