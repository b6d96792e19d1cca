import { CornerUpLeft, Paperclip, Tag } from 'lucide-react';
import { memo, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Hit } from '../api/types.ts';
import { daysAgo, formatDay, formatTime } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { LevelGlyph, levelLook } from '../components/level.tsx';
import { RunStatus } from '../components/run-status.tsx';
import { useToday } from '../components/use-today.ts';
import { Highlighted } from './highlight.tsx';
import { type OtherMatch, otherMatch, visibleSnippet } from './why-matched.ts';
import { wordPatterns } from './word-patterns.ts';
import './entry-row.css';

interface EntryRowProps {
  readonly hit: Hit;
  readonly href: string;
  readonly isOpen: boolean;
  /** Whether its replies are unfolded below it; undefined when it has none. */
  readonly isUnfolded: boolean | undefined;
  /** Whether it came since the last visit and has not been opened. */
  readonly isUnread: boolean;
  /** Whether it was written here a moment ago. */
  readonly isJustSent: boolean;
  /** The search that found it. */
  readonly query: string | undefined;
  /** Whether the row names its day, because it has no heading with the day. */
  readonly withDay: boolean;
  /** Whether the Tab key stops at it. */
  readonly isStop: boolean;
}

/** An entry of the list, in two lines. The list handles clicks and keys. */
export const EntryRow = memo(function EntryRow(props: EntryRowProps) {
  const { hit, href, isOpen, isUnfolded, isUnread, isJustSent, query, withDay, isStop } = props;
  const { t } = useTranslation();
  return (
    <a
      className={`entry-row ${isOpen ? 'selected' : ''} ${isUnread ? 'unread' : ''}`}
      href={href}
      tabIndex={isStop ? 0 : -1}
      data-id={hit.id}
      aria-current={isOpen ? 'true' : undefined}
      aria-expanded={isUnfolded}
    >
      <span className="glyph">
        <LevelGlyph level={hit.level} named />
      </span>
      <span className="texts">
        <span className="title cut" dir="auto">
          {isUnread && <span className="visually-hidden">{t('unread')} </span>}
          <Highlighted text={hit.title} spans={hit.highlights?.title} />
        </span>
        <SecondLine hit={hit} isJustSent={isJustSent} query={query} />
      </span>
      <span className="ends">
        <time className="when" dateTime={new Date(hit.createdDate).toISOString()}>
          {withDay ? formatDay(hit.createdDate) : formatTime(hit.createdDate)}
        </time>
        <Counts hit={hit} />
      </span>
    </a>
  );
});

/** The logbooks and tags of the entry, and why it was found. */
function SecondLine({ hit, isJustSent, query }: Pick<EntryRowProps, 'hit' | 'isJustSent' | 'query'>) {
  const { t } = useTranslation();
  const look = levelLook(hit.level);
  const snippet = visibleSnippet(hit.snippet ?? '', hit.highlights?.snippet);
  const other = useMemo(() => otherMatch(hit, query), [hit, query]);
  const isFound = other !== undefined || snippet.spans.length > 0;
  // A reply that was found is marked as a reply.
  const isReply = (hit.thread?.position ?? 1) > 1 && wordPatterns(query).length > 0;
  return (
    <span className={`second ${isFound ? 'found' : 'cut'}`}>
      <span className={isFound ? 'filed cut' : undefined}>
        {isJustSent && <b className="just-sent">{t('justNow')} · </b>}
        {isReply && `${t('reply')} · `}
        {hit.run && (
          <>
            <RunStatus run={hit.run} />
            {' · '}
          </>
        )}
        {look !== 'info' && (
          <>
            <span className={`level ${look}`}>{hit.level}</span>
            {' · '}
          </>
        )}
        {hit.logbooks.map(({ name }) => name).join(', ')}
        {' · '}
        {hit.ownerName ?? hit.owner}
        {(other || snippet.text) && ' ·'}
        {!isFound && ' '}
      </span>
      <span className={isFound ? 'excerpt cut' : undefined}>
        {other && <OtherMatchText match={other} />}
        {other && snippet.text && ' · '}
        <Highlighted text={snippet.text} spans={snippet.spans} />
      </span>
    </span>
  );
}

/** A match in something that the row does not show otherwise. */
function OtherMatchText({ match }: { readonly match: OtherMatch }) {
  const { t } = useTranslation('find');
  if (match.in === 'fileText') {
    return (
      <span className="other">
        <Icon of={Paperclip} />
        {match.name === undefined ? t('inAFile') : t('inFile', { name: match.name })}
      </span>
    );
  }
  const shown = visibleSnippet(match.text, match.spans);
  return (
    <span className="other">
      {match.in === 'file' && <Icon of={Paperclip} label={t('files')} />}
      {match.in === 'tag' && <Icon of={Tag} label={t('facets.tag')} />}
      {match.in === 'property' && `${match.name}: `}
      <Highlighted text={shown.text} spans={shown.spans} />
    </span>
  );
}

function Counts({ hit }: { readonly hit: Hit }) {
  const { t } = useTranslation('find');
  const replies = (hit.thread?.size ?? 1) - 1;
  return (
    <span className="counts">
      {hit.attachments.length > 0 && (
        <span>
          <Icon of={Paperclip} label={t('files')} />
          {hit.attachments.length}
        </span>
      )}
      {replies > 0 && (
        <span>
          <Icon of={CornerUpLeft} label={t('replies')} />
          {replies}
        </span>
      )}
    </span>
  );
}

interface ReplyRowProps {
  readonly entry: Pick<Hit, 'id' | 'title' | 'owner' | 'ownerName' | 'createdDate'>;
  readonly href: string;
  readonly isOpen: boolean;
  readonly isLast: boolean;
  /** Whether it was written here a moment ago. */
  readonly isJustSent: boolean;
  /** Whether the Tab key stops at it. */
  readonly isStop: boolean;
}

/** Another entry of an unfolded thread. */
export function ReplyRow({ entry, href, isOpen, isLast, isJustSent, isStop }: ReplyRowProps) {
  const todayMs = useToday();
  const { t } = useTranslation();
  const isToday = daysAgo(entry.createdDate, todayMs) === 0;
  return (
    <a
      className={`reply-row ${isLast ? '' : 'more'} ${isOpen ? 'selected' : ''}`}
      href={href}
      tabIndex={isStop ? 0 : -1}
      data-id={entry.id}
      aria-current={isOpen ? 'true' : undefined}
    >
      <span className="title cut" dir="auto">
        <b>{entry.ownerName ?? entry.owner}</b> {isJustSent && <b className="just-sent">{t('justNow')} · </b>}
        {entry.title}
      </span>
      <time className="when" dateTime={new Date(entry.createdDate).toISOString()}>
        {isToday ? '' : `${formatDay(entry.createdDate)} `}
        {formatTime(entry.createdDate)}
      </time>
    </a>
  );
}
