import { useNavigate } from '@tanstack/react-router';
import type { TFunction } from 'i18next';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useShortcut } from '../keys/use-shortcut.ts';
import { useMe } from '../session/me.ts';
import { showToast } from '../toasts/toasts.ts';
import { type Draft, draftName } from './draft.ts';
import { sendWaiting, startOutbox, takeBack, useOutbox } from './outbox.ts';
import { onSent } from './sent-entries.ts';
import './light.css';
import './outbox-status.css';

/** Shows the entry that is being sent, with a few seconds to undo it, and the entries that wait. */
export function OutboxStatus() {
  const items = useOutbox();
  const held = items.find(({ submission }) => submission?.state === 'held');
  const waiting = items.filter(
    ({ submission }) => submission && submission.state !== 'held' && submission.attempts > 0,
  );
  useSentToasts();
  // Started after the listeners are added: a waiting draft may be sent before anything is drawn.
  useEffect(startOutbox, []);
  return (
    <div className="notes">
      {waiting[0] && <WaitingNote draft={waiting[0]} count={waiting.length} />}
      {held && <HeldToast key={held.id} draft={held} />}
    </div>
  );
}

/** Shows a message with a link to each entry that was created or changed. */
function useSentToasts(): void {
  const { t } = useTranslation();
  const navigate = useNavigate();
  useEffect(
    () =>
      onSent(({ entry, kind }) => {
        const show = () =>
          void navigate({ to: '/entries/$entryId', params: { entryId: String(entry.id) }, search: {} });
        const text = t(kind === 'edit' ? 'outbox.changed' : 'outbox.created', { id: entry.id });
        showToast(text, { action: { label: t('outbox.show'), run: show } });
      }),
    [navigate, t],
  );
}

function HeldToast({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation();
  const open = useOpenText(draft);
  const seconds = useSecondsLeft(draft.submission?.notBeforeMs ?? 0);
  useShortcut('undoSending', open);
  const text = seconds > 0 ? t('outbox.sending', { seconds }) : t('outbox.sendingNow');
  return (
    <div className="toast" data-outbox="held">
      <span role="status" className="visually-hidden">
        {t('outbox.sending', { seconds: 5 })}
      </span>
      <span className="grow number" aria-hidden="true">
        {text}
      </span>
      <button type="button" className="button small" onClick={open}>
        {t('outbox.undo')}
        <kbd>Z</kbd>
      </button>
    </div>
  );
}

function useSecondsLeft(untilMs: number): number {
  const left = () => Math.max(0, Math.ceil((untilMs - Date.now()) / 1_000));
  const [seconds, setSeconds] = useState(left);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on the time alone
  useEffect(() => {
    const timer = setInterval(() => setSeconds(left()), 200);
    return () => clearInterval(timer);
  }, [untilMs]);
  return seconds;
}

/** Returns a function that reopens the text, which is then sent only when the user sends it again. */
function useOpenText({ id }: Draft): () => void {
  const navigate = useNavigate();
  return () => void takeBack(id).then(() => navigate({ to: `/write/${id}` as '/' }));
}

function WaitingNote({ draft, count }: { readonly draft: Draft; readonly count: number }) {
  const { t } = useTranslation();
  const me = useMe();
  const open = useOpenText(draft);
  const { submission, userName } = draft;
  const isStuck = submission?.state === 'refused' || submission?.state === 'conflict';
  return (
    <div className="note outbox-note" role="status" data-outbox={submission?.state}>
      <span className="light waits">
        <span className="dot" />
      </span>
      <span className="grow">
        <b>{t('outbox.waits', { count })}.</b> {reason(t, draft)}
      </span>
      {!isStuck && (
        <button type="button" className="button small" onClick={sendWaiting}>
          {t('tryAgain')}
        </button>
      )}
      <button type="button" className="button small ghost" onClick={open}>
        {t('outbox.open')}
      </button>
      {submission?.state === 'signIn' && userName !== null && me?.userName === null && (
        <a className="button small" href="/sign-in">
          {t('signIn')}
        </a>
      )}
    </div>
  );
}

function reason(t: TFunction<'common'>, draft: Draft): string {
  const { submission, userName } = draft;
  const title = draftName(draft);
  const values = { title, problem: submission?.problem ?? '', name: userName ?? '' };
  if (submission?.state === 'signIn') return t(userName === null ? 'outbox.signInAnyone' : 'outbox.signIn', values);
  if (submission?.state === 'refused') return t('outbox.refused', values);
  if (submission?.state === 'conflict') return t('outbox.conflict', values);
  return t(submission?.problem === undefined ? 'outbox.offline' : 'outbox.storage', values);
}
