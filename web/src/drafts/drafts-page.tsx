import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CornerUpLeft, Pencil, SquarePen, Trash2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { SidePage } from '../app/side-page.tsx';
import { useFocusOfRest } from '../app/use-focus-back.ts';
import { formatDay, formatId, formatTime } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { Void } from '../components/problem.tsx';
import { useMe } from '../session/me.ts';
import { type Draft, draftName, firstWords, isOwn, isWorthKeeping } from './draft.ts';
import { announceDraft, watchDrafts } from './draft-channel.ts';
import { listDrafts } from './draft-store.ts';
import './drafts-page.css';
import './light.css';
import { offerToBringBack, offerUndo, undoMs } from './offer-undo.ts';
import { discardDraft } from './outbox.ts';
import { isCopyRemoved, keepCopy, removeDiscardedCopy } from './removed-copies.ts';
import { listServerDrafts, type ServerDraftSummary } from './server-drafts.ts';

/** Lists drafts that have not been sent, in this browser and on the server. */
export function DraftsPage() {
  const { t } = useTranslation('write');
  const { local, remote } = useDrafts();
  useFocusOfRest(local && local.length + remote.length);
  return (
    <SidePage>
      <h1>{t('drafts.title')}</h1>
      {local && local.length + remote.length === 0 && (
        <Void icon={Pencil} title={t('drafts.empty')} text={t('drafts.emptyText')} />
      )}
      <ul className="draft-list">
        {local?.map((draft) => (
          <LocalDraft key={draft.id} draft={draft} />
        ))}
        {remote.map((draft) => (
          <RemoteDraft key={draft.id} draft={draft} />
        ))}
      </ul>
    </SidePage>
  );
}

/** Lists the drafts of the user. A signed-in user does not see the drafts of others in a shared browser. */
function useDrafts(): { readonly local: readonly Draft[] | undefined; readonly remote: readonly ServerDraftSummary[] } {
  const me = useMe();
  const userName = me?.userName ?? null;
  const [all, setAll] = useState<readonly Draft[]>();
  useEffect(() => {
    const read = () => void listDrafts().then(setAll);
    read();
    return watchDrafts(read);
  }, []);
  const { data = [], refetch } = useQuery({
    queryKey: ['drafts', userName],
    queryFn: async ({ signal }) => {
      const there = userName === null ? [] : await listServerDrafts(userName, signal);
      return there.filter(({ id }) => !isCopyRemoved(id));
    },
    staleTime: 0,
  });
  useEffect(() => watchDrafts(({ revision }) => void (revision || refetch())), [refetch]);
  const known = new Set(all?.map(({ id }) => id));
  // An emptied draft is removed when the user leaves its page.
  const isListed = (draft: Draft) => draft.submission !== undefined || isWorthKeeping(draft);
  const local = all?.filter((one) => isOwn(one, userName) && one.discardedMs === undefined && isListed(one));
  return { local, remote: data.filter(({ id }) => !known.has(id)) };
}

const icons = { new: Pencil, reply: CornerUpLeft, edit: SquarePen } as const;

function LocalDraft({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation('write');
  const { id, purpose, server, revision, submission, content, modifiedMs } = draft;
  const isOnServer = server?.revision === revision;
  const where = t(
    submission
      ? submission.state === 'refused'
        ? 'drafts.refused'
        : 'drafts.waits'
      : isOnServer
        ? 'drafts.onServer'
        : 'drafts.here',
  );
  const entryId = purpose.kind === 'edit' ? purpose.base.entryId : purpose.kind === 'reply' ? purpose.to : undefined;
  const about = {
    kind: purpose.kind,
    of: entryId === undefined ? '' : t(purpose.kind === 'edit' ? 'editOf' : 'replyTo', { id: formatId(entryId) }),
    light: submission ? 'waits' : isOnServer ? '' : 'here',
  };
  const discard = async () => {
    offerToBringBack(id, await discardDraft(id));
  };
  return (
    <Row
      {...{ id, about, where, modifiedMs }}
      title={draftName(draft)}
      words={content.title.trim() === '' ? '' : firstWords(content.text)}
      files={content.files.length}
      onDiscard={() => void discard()}
    />
  );
}

function RemoteDraft({ draft }: { readonly draft: ServerDraftSummary }) {
  const { t } = useTranslation('write');
  const me = useMe();
  const { id, title, modifiedDate, attachments } = draft;
  const [isDiscarded, setDiscarded] = useState(false);
  if (isDiscarded) return null;
  const discard = () => {
    setDiscarded(true);
    void removeDiscardedCopy({ id, userName: me?.userName ?? null }, { undoMs });
    announceDraft({ id, revision: undefined });
    const onRestored = () => {
      setDiscarded(false);
      announceDraft({ id, revision: '' });
    };
    offerUndo({ restore: () => keepCopy(id), onRestored });
  };
  return (
    <Row
      id={id}
      about={{ kind: 'new', of: '', light: '' }}
      where={t('drafts.onServerOnly')}
      modifiedMs={modifiedDate}
      title={title ?? ''}
      files={attachments}
      onDiscard={discard}
    />
  );
}

interface RowProps {
  readonly id: string;
  readonly about: { readonly kind: keyof typeof icons; readonly of: string; readonly light: string };
  readonly title: string;
  /** Beginning of the text, below the title. */
  readonly words?: string;
  readonly where: string;
  readonly modifiedMs: number;
  readonly files: number;
  readonly onDiscard: () => void;
}

function Row({ id, about, title, words = '', where, modifiedMs, files, onDiscard }: RowProps) {
  const { t } = useTranslation('write');
  const shown = title.trim() || t('drafts.untitled');
  return (
    <li>
      <Link to={`/write/${id}` as '/'} search={{}}>
        <Icon of={icons[about.kind]} />
        <span className="grow">
          <span className="cut draft-title">{shown}</span>
          {words !== '' && <span className="cut muted draft-words">{words}</span>}
          <span className="row muted draft-about">
            <span className={`light ${about.light}`}>
              <span className="dot" />
              {where}
            </span>
            {about.of !== '' && <span>{about.of}</span>}
            {files > 0 && <span>{t('drafts.files', { count: files })}</span>}
          </span>
        </span>
        <time className="muted number" dateTime={new Date(modifiedMs).toISOString()}>
          {formatDay(modifiedMs)} {formatTime(modifiedMs)}
        </time>
      </Link>
      <IconButton icon={Trash2} className="ghost danger" label={`${t('discard')}: ${shown}`} onClick={onDiscard} />
    </li>
  );
}
