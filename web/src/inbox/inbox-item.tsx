import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { InboxItem, Watch } from '../api/types.ts';
import { daysAgo, formatDay, formatId, formatTime } from '../components/format.ts';
import { LevelGlyph } from '../components/level.tsx';
import { useToday } from '../components/use-today.ts';
import { markRead } from './inbox-queries.ts';
import { handOversQuery } from './watches.tsx';

interface InboxItemRowProps {
  readonly item: InboxItem;
  readonly watches: readonly Watch[];
}

/** A change that concerns the user, and why it does. Opening it marks it as read. */
export function InboxItemRow({ item, watches }: InboxItemRowProps) {
  const todayMs = useToday();
  const { t } = useTranslation('inbox');
  const { entry, change, date, read, reasons } = item;
  const why = reasons.map(({ watchId, kind }) => {
    const watch = watches.find(({ id }) => id === watchId);
    // Its stored name is in the language in which it was switched on.
    if (watch?.query === handOversQuery) return t('choices.handOvers');
    return watch?.kind === 'search' && watch.name !== '' ? watch.name : t(`reasons.${kind}`);
  });
  const who = entry.ownerName ?? entry.owner;
  const about = [change === 'edited' ? t('edited') : who, entry.logbooks.join(', '), ...new Set(why)];
  return (
    <li>
      <Link
        to="/entries/$entryId"
        params={{ entryId: String(entry.id) }}
        className={read ? '' : 'is-unread'}
        onClick={() => {
          // A failure leaves it unread.
          if (!read) markRead({ ids: [item.id] }).catch(() => undefined);
        }}
      >
        <LevelGlyph level={entry.level} named />
        <span className="inbox-title cut">
          {entry.title} <span className="muted number">{formatId(entry.id)}</span>
          {!read && <span className="visually-hidden">, {t('unread')}</span>}
        </span>
        <time className="muted number" dateTime={new Date(date).toISOString()}>
          {daysAgo(date, todayMs) === 0 ? formatTime(date) : formatDay(date)}
        </time>
        <span className="muted cut">{about.join(' · ')}</span>
      </Link>
    </li>
  );
}
