import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { isFocusFree } from '../app/page-focus.ts';
import { useViewport } from '../app/viewport.ts';
import { LatePart } from '../components/late-part.tsx';
import { usePageName } from '../components/page-title.ts';
import { Problem } from '../components/problem.tsx';
import { ReplyDock } from '../compose/reply-dock.tsx';
import { useFind } from '../find/find-context.ts';
import { settleEntry } from '../keys/awaited-entry.ts';
import { holdKeys } from '../keys/held-keys.ts';
import { HeldKeys } from '../keys/held-keys-of.tsx';
import { meQuery } from '../session/me.ts';
import { handAnnotation } from '../write/files/handed-annotation.ts';
import { EntryBody } from './entry-body.tsx';
import { EntryFoot, EntryTop } from './entry-phone-bars.tsx';
import { entryQuery } from './entry-queries.ts';
import { EntryToolbar } from './entry-toolbar.tsx';
import '../print/print.css';
import './entry-bars.css';
import './prose.css';
import './read.css';

const Gallery = lazy(async () => ({ default: (await import('./gallery.tsx')).Gallery }));

/** The open entry, next to the list or in its place. */
export function EntryPane() {
  const { t } = useTranslation('read');
  const { entryId = '' } = useParams({ strict: false });
  const { data: entry, error, refetch } = useQuery(entryQuery(entryId));
  const isPhone = useViewport() === 'phone';
  const find = useFind();
  const scroller = useRef<HTMLElement>(null);
  const [shownFile, showFile] = useState<string>();
  const openFile = (id: string) => {
    holdKeys();
    showFile(id);
  };
  const navigate = useNavigate();
  const annotate = (id: string) => {
    handAnnotation(id);
    void navigate({ to: '/write' as '/', search: { edit: entryId } as object });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: another entry is read from its top
  useEffect(() => {
    scroller.current?.scrollTo(0, 0);
    if (isFocusFree()) scroller.current?.focus();
  }, [entryId]);
  // A reply needs to know its author.
  const { isPending } = useQuery(meQuery);
  const state = entry ? !isPending && 'shown' : error && 'failed';
  useEffect(() => (state ? settleEntry(entryId, state === 'shown') : undefined), [entryId, state]);
  usePageName(entry && `${entry.title} – Logbook`);
  return (
    <>
      {isPhone ? <EntryTop entry={entry} /> : entry && <EntryToolbar entry={entry} />}
      <main className="read" ref={scroller} aria-label={t('entry')} tabIndex={-1}>
        {error && !entry && <Problem error={error} retry={() => void refetch()} entryId={entryId} />}
        {entry && <EntryBody entry={entry} query={find?.search.query} onFile={openFile} />}
      </main>
      {entry && <ReplyDock key={entryId} entry={entry} hasButton={isPhone} />}
      {isPhone && entry && <EntryFoot entry={entry} />}
      {entry && shownFile !== undefined && (
        <LatePart onClose={() => showFile(undefined)}>
          <Gallery
            files={entry.attachments}
            source={entry.source}
            shownId={shownFile}
            onShow={showFile}
            onAnnotate={annotate}
          />
          <HeldKeys of=".gallery" />
        </LatePart>
      )}
    </>
  );
}
