import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { Thread } from '../api/types.ts';
import { useJustSent } from '../drafts/sent-entries.ts';
import { ReplyRow } from './entry-row.tsx';
import { threadQuery } from './search-queries.ts';

interface ThreadRowsProps {
  readonly thread: Thread;
  /** Id of the entry whose row is above them. */
  readonly of: number;
  readonly openId: number | undefined;
  /** The entry at whose row the Tab key stops. */
  readonly stopId: number | undefined;
  readonly hrefOf: (id: number) => string;
}

/** The other entries of a thread, oldest first. */
export function ThreadRows({ thread, of, openId, stopId, hrefOf }: ThreadRowsProps) {
  const { t } = useTranslation('find');
  const justSent = useJustSent();
  const { data, error, refetch } = useQuery(threadQuery(thread.id));
  if (error) {
    return (
      <button type="button" className="reply-row" onClick={() => void refetch()}>
        {t('threadFailed')}
      </button>
    );
  }
  const others = data?.filter(({ id }) => id !== of);
  if (!others) return <div className="thread-space" style={{ '--replies': thread.size - 1 } as React.CSSProperties} />;
  return others.map((entry, at) => (
    <ReplyRow
      key={entry.id}
      entry={entry}
      href={hrefOf(entry.id)}
      isOpen={entry.id === openId}
      isLast={at === others.length - 1}
      isJustSent={justSent.has(entry.id)}
      isStop={entry.id === stopId}
    />
  ));
}
