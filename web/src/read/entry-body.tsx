import { Book, Clock, Tag } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { daysAgo, formatAgo, formatId, formatTime, formatWeekday } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { Level } from '../components/level.tsx';
import { RunStatus } from '../components/run-status.tsx';
import { useToday } from '../components/use-today.ts';
import { useFind } from '../find/find-context.ts';
import { withQuery } from '../find/find-search.ts';
import { type FilterKey, withValue } from '../find/query-terms.ts';
import { TitleText } from '../find/title-text.tsx';
import { PrintedAddress } from '../print/printed-entry.tsx';
import { useHasHistory } from '../session/me.ts';
import { isDataBrowserFile, isDataFile } from './data-files.ts';
import { groupIdOf } from './entry-queries.ts';
import { EntryTime } from './entry-time.tsx';
import { FileList } from './file-list.tsx';
import type { FilePlotsProps } from './file-plots.tsx';
import { Properties } from './properties.tsx';
import { Prose } from './prose.tsx';
import { SimilarEntries } from './similar-entries.tsx';
import { ThreadList } from './thread-list.tsx';
import { useTickTask } from './use-tick-task.ts';

const FilePlots = lazy(async () => {
  // The files are still listed: an outage must not hide the entry.
  const loaded = await import('./file-plots.tsx').catch(() => undefined);
  return { default: loaded?.FilePlots ?? ((_: FilePlotsProps) => null) };
});

interface EntryBodyProps {
  readonly entry: Entry;
  readonly query: string | undefined;
  readonly onFile: (attachmentId: string) => void;
}

/** Shows the readable content of an entry. */
export function EntryBody({ entry, query, onFile }: EntryBodyProps) {
  const { t } = useTranslation('read');
  const find = useFind();
  const tick = useTickTask(entry);
  const isHit = find?.hit?.id === entry.id && find.hit.title === entry.title;
  const groupId = groupIdOf(entry);
  const hasHistory = useHasHistory();
  const dataFiles = entry.attachments.filter((file) => isDataFile(file) || (hasHistory && isDataBrowserFile(file)));
  return (
    <article className="doc" aria-labelledby="entry-title">
      <h1 id="entry-title" dir="auto">
        <TitleText
          text={entry.title}
          devices={entry.devices}
          spans={isHit ? find?.hit?.highlights?.title : undefined}
        />
      </h1>
      <div className="meta">
        <Level level={entry.level} />
        <b>{entry.ownerName ?? entry.owner}</b>
        <EntryTime ms={entry.createdDate} />
        <span className="number">{formatId(entry.id)}</span>
        {entry.run && (
          <span className="number">
            <RunStatus run={entry.run} /> · {t('blocks', { count: entry.run.blocks })}
          </span>
        )}
        {entry.modifyDate !== null && (
          <span className="number">
            {t('edited', { name: entry.modifiedBy ?? entry.owner, when: formatAgo(entry.modifyDate) })}
          </span>
        )}
      </div>
      <FiledUnder entry={entry} />
      <Prose
        key={entry.id}
        source={entry.source}
        devices={entry.devices}
        plots={entry}
        query={query}
        onImage={onFile}
        onTick={tick}
      />
      <Properties entry={entry} />
      <FileList files={entry.attachments} source={entry.source} onShow={onFile} />
      {dataFiles.length > 0 && (
        <Suspense>
          <FilePlots files={dataFiles} createdDate={entry.createdDate} onShow={onFile} />
        </Suspense>
      )}
      {groupId !== undefined && <ThreadList groupId={groupId} of={entry.id} />}
      <SimilarEntries to={entry.id} />
      <div className="print-only">
        <PrintedAddress path={`/entries/${entry.id}`} />
      </div>
    </article>
  );
}

/** The logbooks, tags and events of an entry. */
function FiledUnder({ entry }: { readonly entry: Entry }) {
  const todayMs = useToday();
  return (
    <div className="meta chips">
      {entry.logbooks.map(({ name }) => (
        <FilterChip key={name} icon={Book} of="logbook" value={name} />
      ))}
      {entry.tags.map(({ name }) => (
        <FilterChip key={name} icon={Tag} of="tag" value={name} />
      ))}
      {entry.events.map(({ name, instant }) => (
        <span className="chip number" key={`${name} ${instant}`}>
          <Icon of={Clock} />
          {name} {daysAgo(instant, todayMs) === 0 ? '' : `${formatWeekday(instant)} `}
          {formatTime(instant, true)}
        </span>
      ))}
    </div>
  );
}

interface FilterChipProps {
  readonly icon: typeof Book;
  readonly of: FilterKey;
  readonly value: string;
}

/** A value of the entry. A click narrows the search to it; a click with Alt excludes it. */
function FilterChip({ icon, of, value }: FilterChipProps) {
  const { t } = useTranslation('read');
  const find = useFind();
  const filter = (state: 'in' | 'out') =>
    find?.change(withQuery(find.search, withValue(find.search.query, of, value, state)));
  return (
    <button
      type="button"
      className="chip"
      title={t('filterBy', { value })}
      onClick={(event) => filter(event.altKey ? 'out' : 'in')}
      onContextMenu={(event) => {
        event.preventDefault();
        filter('out');
      }}
    >
      <Icon of={icon} />
      <span className="cut">{value}</span>
    </button>
  );
}
