import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../api/api.ts';
import { ApiError, problemText } from '../api/api-error.ts';
import type { Hit } from '../api/types.ts';
import { LevelGlyph } from '../components/level.tsx';
import { Modal } from '../components/modal.tsx';
import { EntryTime } from '../read/entry-time.tsx';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';

/** Time for which the grouping can be undone. */
const undoMs = 10_000;

interface GroupDialogProps {
  readonly hits: readonly Hit[];
  readonly onClose: () => void;
  readonly onGrouped: () => void;
}

/** Shows which entries will become one thread, before they do. */
export function GroupDialog({ hits, onClose, onGrouped }: GroupDialogProps) {
  const { t } = useTranslation('find');
  const { t: tCommon } = useTranslation();
  const client = useQueryClient();
  const oldestFirst = hits.toSorted((a, b) => a.createdDate - b.createdDate);
  const threads = new Set(hits.map(threadOf).filter((id) => id !== undefined));
  const [problem, setProblem] = useState(threads.size > 1 ? t('grouping.twoThreads') : undefined);
  const [isSending, setSending] = useState(false);
  const group = async () => {
    if (isSending) return;
    setSending(true);
    try {
      await api.POST('/logs/group', { body: oldestFirst.map(({ id }) => id) });
      onGrouped();
      onClose();
      const joined = oldestFirst.filter((hit) => threadOf(hit) === undefined).map(({ id }) => id);
      const action = { label: tCommon('outbox.undo'), run: () => void ungroup(joined, client) };
      showToast(t('grouping.done', { count: hits.length }), { durationMs: undoMs, action });
      refresh(client);
    } catch (error) {
      setProblem(textOf(error));
      setSending(false);
    }
  };
  const textOf = (error: unknown): string => {
    const fault = error instanceof ApiError ? error : undefined;
    if (fault?.code === 'group.already-in-another') return t('grouping.twoThreads');
    if (fault?.status === 401) return t('grouping.signIn');
    if (fault?.code === 'auth.logbook-closed') return t('grouping.closed');
    if (fault?.isOffline) return t('grouping.offline');
    if (fault && fault.status >= 500) return tCommon('problem.storageTitle');
    return problemText(error);
  };
  return (
    <Modal className="question group-dialog" label={t('grouping.title')} onClose={onClose}>
      <h1>{t('grouping.title')}</h1>
      <p>{t('grouping.text', { count: hits.length })}</p>
      <ol>
        {oldestFirst.map((hit) => (
          <GroupedRow key={hit.id} hit={hit} />
        ))}
      </ol>
      <p className="bad" role="alert">
        {problem}
      </p>
      <div className="row">
        <button type="button" className="button primary" onClick={() => void group()}>
          {t('grouping.confirm')}
        </button>
        <button type="button" className="button ghost" data-first onClick={onClose}>
          {tCommon('cancel')}
        </button>
      </div>
    </Modal>
  );
}

/** Takes the entries that joined the thread out of it again. */
async function ungroup(ids: number[], client: QueryClient): Promise<void> {
  try {
    await api.POST('/logs/ungroup', { body: ids });
    showToast(i18next.t('find:grouping.undone', { count: ids.length }));
  } catch (error) {
    showProblem(error);
  }
  refresh(client);
}

function refresh(client: QueryClient): void {
  for (const name of ['hits', 'facets', 'thread', 'entry']) void client.invalidateQueries({ queryKey: [name] });
}

function GroupedRow({ hit }: { readonly hit: Hit }) {
  const { t } = useTranslation('find');
  const others = (hit.thread?.size ?? 1) - 1;
  return (
    <li>
      <LevelGlyph level={hit.level} named />
      <span className="texts">
        <span className="title" dir="auto">
          {hit.title}
        </span>
        <span className="muted">
          {hit.ownerName ?? hit.owner} · <EntryTime ms={hit.createdDate} />
          {others > 0 && ` · ${t('grouping.withOthers', { count: others })}`}
        </span>
      </span>
    </li>
  );
}

/** The thread that the entry is in; undefined when it stands alone. */
function threadOf({ thread }: Hit): string | undefined {
  return thread && thread.size > 1 ? thread.id : undefined;
}
