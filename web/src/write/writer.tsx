import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useViewport } from '../app/viewport.ts';
import { type DraftContent, otherAuthor } from '../drafts/draft.ts';
import type { OpenDraft } from '../drafts/open-draft.ts';
import { OutboxStatus } from '../drafts/outbox-status.tsx';
import { useShortcut } from '../keys/use-shortcut.ts';
import { OutageNote } from '../offline/outage-note.tsx';
import { useBootstrap, useMe } from '../session/me.ts';
import { SignInCard } from '../session/sign-in-card.tsx';
import { ToastRegion } from '../toasts/toast-region.tsx';
import { Details } from './details/details.tsx';
import type { EditorHandle } from './editor/editor-handle.ts';
import { EditorPane } from './editor-pane.tsx';
import { takeHandedFiles } from './files/handed-files.ts';
import { useDropAndPaste } from './files/use-drop-and-paste.ts';
import { useFiles } from './files/use-files.ts';
import { MergeView } from './merge/merge-view.tsx';
import { WriteNotes } from './notes.tsx';
import { PreviewPane } from './preview-pane.tsx';
import { useDraftState } from './use-draft.ts';
import { useProblems } from './use-problems.ts';
import { type Sending, useSending } from './use-sending.ts';
import { useSessionEnd } from './use-session-end.ts';
import { useStaleness } from './use-staleness.ts';
import { useUploads } from './use-uploads.ts';
import { WriteHead } from './write-head.tsx';
import type { WriteView } from './write-view.ts';

/** A draft, with the page to write it. */
export function Writer({ open }: { readonly open: OpenDraft }) {
  const { t } = useTranslation('write');
  const viewport = useViewport();
  const [view, setView] = useState<WriteView>('write');
  const editor = useRef<EditorHandle>(null);
  const bootstrap = useBootstrap();
  const me = useMe();
  const { draft, light, foreign } = useDraftState(open);
  const endedMs = useSessionEnd(open);
  const files = useFiles({ open, bootstrap, editor });
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the page opens, not later
  useEffect(() => files.add(takeHandedFiles()), []);
  const continueUploads = useUploads(draft, light);
  const stale = useStaleness(draft);
  const { problems, checkText } = useProblems(draft);
  const isPreparing = files.pending.some(({ problem }) => !problem);
  const sending = useSending({ open, problems, checkText, stale, isPreparing });
  const isDropping = useDropAndPaste(files.add);
  useShortcut('send', () => void sending.send());
  useShortcut('preview', () => setView(view === 'preview' ? 'write' : 'preview'));
  const shown = sending.isShowingProblems ? problems : { text: problems.text };
  const change = (patch: Partial<DraftContent>) => open.change(patch);
  const details = <Details {...{ draft, bootstrap, change }} problems={shown} />;
  if (stale.isMerging && stale.theirs) {
    return <MergeView open={open} theirs={stale.theirs} light={light} onBack={stale.leave} onSubmit={sending.submit} />;
  }
  return (
    <div className="app write-page" data-view={view}>
      <header>
        <OutageNote />
        <OutboxStatus />
        <WriteNotes stale={stale} endedMs={endedMs} otherAuthor={otherAuthor(draft, me)} />
        <WriteHead {...{ open, draft, light, bootstrap, view, setView, sending }} />
      </header>
      <main className={`write ${viewport}`}>
        {(viewport === 'wide' || view !== 'preview') && (
          <EditorPane
            {...{ open, draft, foreign, editor, files, viewport, view, setView }}
            problems={shown}
            onContinue={continueUploads}
          >
            {details}
          </EditorPane>
        )}
        {(viewport === 'wide' || view === 'preview') && (
          <PreviewPane {...{ draft, bootstrap }} onText={open.replaceText} />
        )}
        {viewport !== 'phone' && (
          <aside className="rail" aria-label={t('details')}>
            {details}
          </aside>
        )}
      </main>
      {sending.isSigningIn && <SignIn open={open} sending={sending} />}
      {isDropping && <div className="drop-mark">{t('dropHere')}</div>}
      <ToastRegion />
    </div>
  );
}

function SignIn({ open, sending }: { readonly open: OpenDraft; readonly sending: Sending }) {
  const { t } = useTranslation('write');
  return (
    <SignInCard
      title={t('session.title')}
      text={t('session.text')}
      submitLabel={t('session.submit')}
      closeLabel={t('session.later')}
      userName={open.draft.userName ?? undefined}
      returnTo="/"
      onSignedIn={() => void sending.submit()}
      onLeave={sending.queueForSignIn}
      onClose={sending.closeSignIn}
    />
  );
}
