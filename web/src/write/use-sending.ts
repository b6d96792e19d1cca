import { useNavigate, useRouter } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { queryClient } from '../api/query-client.ts';
import { type DraftContent, otherAuthor } from '../drafts/draft.ts';
import { offerToBringBack } from '../drafts/offer-undo.ts';
import type { OpenDraft } from '../drafts/open-draft.ts';
import { discardDraft, queueDraft, queueForSignIn } from '../drafts/outbox.ts';
import { queueOpen } from '../drafts/send-draft.ts';
import { meQuery, useMe } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import type { DraftProblems } from './check-draft.ts';
import type { Staleness } from './use-staleness.ts';

interface SendingDeps {
  readonly open: OpenDraft;
  readonly problems: DraftProblems;
  /** Returns the problem with the size of a text. */
  readonly checkText: (content: DraftContent) => string | undefined;
  readonly stale: Staleness;
  /** Whether files are still being prepared. */
  readonly isPreparing: boolean;
}

/** Maximum time for which a request to the service delays the sending of a text. */
const askMs = 2_000;

/** Resolves to the value, or to `otherwise` if that takes too long or fails. */
async function within<T>(ms: number, value: Promise<T>, otherwise: T): Promise<T> {
  const late = new Promise<T>((resolve) => setTimeout(() => resolve(otherwise), ms));
  return Promise.race([value.catch(() => otherwise), late]);
}

export interface Sending {
  readonly isSigningIn: boolean;
  readonly isShowingProblems: boolean;
  /** Checks the draft, asks to sign in if needed, and queues it. */
  readonly send: () => Promise<void>;
  readonly submit: () => Promise<void>;
  readonly queueForSignIn: () => Promise<void>;
  readonly closeSignIn: () => void;
  readonly discard: () => Promise<void>;
  readonly leave: () => void;
}

export function useSending({ open, problems, checkText, stale, isPreparing }: SendingDeps): Sending {
  const { t } = useTranslation('write');
  const me = useMe();
  const leave = useLeave();
  const [isSigningIn, setSigningIn] = useState(false);
  const [isShowingProblems, showProblems] = useState(false);
  const isBusy = useRef(false);

  const submit = async () => {
    const asked = queryClient.fetchQuery({ ...meQuery, staleTime: 1_000, retry: false });
    const user = await within(askMs, asked, me);
    await queueOpen(open, (id) => queueDraft(id, user?.userName ?? undefined));
    leave();
  };
  const send = async () => {
    showProblems(true);
    const all = { ...problems, text: checkText(open.draft.content) };
    const [first] = Object.values(all).filter((one) => one !== undefined);
    if (first !== undefined) return requestAnimationFrame(() => reportProblem(first));
    if (isPreparing) return void showToast(t('problem.converting'));
    await open.store();
    // If the check takes too long, the page relies on what it knows. The service compares the versions when the draft
    // is sent.
    if (await within(askMs, stale.check(), stale.theirs !== undefined)) return stale.merge();
    if (me?.userName === null || otherAuthor(open.draft, me) !== undefined) return setSigningIn(true);
    return submit();
  };
  return {
    isSigningIn,
    isShowingProblems,
    submit,
    discard: useDiscard(open, leave),
    leave,
    closeSignIn: () => setSigningIn(false),
    queueForSignIn: () => queueOpen(open, queueForSignIn),
    send: async () => {
      // A second press is ignored while the first is being handled.
      if (isBusy.current) return;
      isBusy.current = true;
      await send().catch(showProblem);
      isBusy.current = false;
    },
  };
}

/** Discards the draft, which can be restored for a while. */
function useDiscard(open: OpenDraft, leave: () => void): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    // The text may continue under another id, if another tab has changed the draft.
    await open.store();
    const { id } = open.draft;
    open.close();
    const discardedMs = await discardDraft(id);
    leave();
    offerToBringBack(id, discardedMs, () => void navigate({ to: `/write/${id}` as '/' }));
  };
}

/** Returns to the page where writing began. */
function useLeave(): () => void {
  const router = useRouter();
  const navigate = useNavigate();
  return () => {
    if (router.history.canGoBack()) router.history.back();
    else void navigate({ to: '/' });
  };
}

/** Focuses the first field with a problem. On a small screen, the field may not be in view. */
function reportProblem(problem: string): void {
  const field = document.querySelector<HTMLElement>('.write-page [aria-invalid="true"]');
  if (field) field.focus();
  else showToast(problem, { tone: 'problem' });
}
