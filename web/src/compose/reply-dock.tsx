import { useNavigate } from '@tanstack/react-router';
import { CornerUpLeft } from 'lucide-react';
import { lazy, type SetStateAction, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { ErrorBoundary } from '../app/error-boundary.tsx';
import { Icon } from '../components/icon.tsx';
import { findBegunDraft } from '../drafts/begin-draft.ts';
import type { Draft } from '../drafts/draft.ts';
import { watchDrafts } from '../drafts/draft-channel.ts';
import { holdKeys } from '../keys/held-keys.ts';
import { shownKeys } from '../keys/shortcuts.ts';
import { useShortcut } from '../keys/use-shortcut.ts';
import { useTypedFor } from '../keys/use-typed-for.ts';
import { useUserOfPage } from '../session/me.ts';
import { isPlainReply } from './plain-reply.ts';
import type { ReplyHandle } from './reply-composer.tsx';
import './reply-dock.css';

const ReplyComposer = lazy(async () => ({ default: (await import('./reply-composer.tsx')).ReplyComposer }));

interface ReplyDockProps {
  readonly entry: Entry;
  /** Whether a button elsewhere on the page opens it. */
  readonly hasButton: boolean;
}

/**
 * The reply below an entry. It stays in view while the entry scrolls. A reply that was begun is open from the start;
 * any other opens on demand.
 */
export function ReplyDock({ entry, hasButton }: ReplyDockProps) {
  const { t } = useTranslation('read');
  const navigate = useNavigate();
  const userName = useUserOfPage()?.userName ?? undefined;
  const begun = useBegunReply(entry.id, userName);
  const [choice, choose] = useState<'open' | 'closed'>();
  const composer = useRef<ReplyHandle>(null);
  const isPlain = begun !== undefined && isPlainReply(begun, entry.id);
  const isOpen = userName !== undefined && (choice === undefined ? isPlain : choice === 'open');
  const place = `reply ${entry.id}`;
  const reply = () => {
    const search = { reply: String(entry.id) };
    if (userName === undefined) return void navigate({ to: '/write' as '/', search: search as object });
    // The address names the entry too: if the draft is gone by then, the page begins a new reply.
    if (begun && !isPlain) return void navigate({ to: `/write/${begun.id}` as '/', search: search as object });
    if (composer.current) return composer.current.focus();
    // The text field is loaded only now. It receives the keys that are typed until then.
    holdKeys(place);
    return choose('open');
  };
  useShortcut('reply', reply);
  useTypedFor(userName && place, reply);
  if (isOpen) {
    return (
      <ErrorBoundary>
        <Suspense fallback={<div className="reply-composer" />}>
          <ReplyComposer
            entry={entry}
            userName={userName}
            isFirst={choice === 'open'}
            handle={composer}
            onClose={() => choose('closed')}
          />
        </Suspense>
      </ErrorBoundary>
    );
  }
  if (userName === undefined || hasButton) return null;
  return (
    <button type="button" className="reply-dock" onClick={reply}>
      <Icon of={CornerUpLeft} />
      <span className="grow">{t(begun && !isPlain ? 'continueReply' : 'writeReply')}</span>
      <kbd>{shownKeys('reply')}</kbd>
    </button>
  );
}

/** Returns the user's newest unsent reply to the entry, also after another tab has sent or discarded one. */
function useBegunReply(entryId: number, userName: string | undefined): Draft | undefined {
  const [begun, setBegun] = useState<Draft>();
  useEffect(() => {
    let isCurrent = true;
    if (userName === undefined) return undefined;
    const isReply = ({ purpose }: Draft) => purpose.kind === 'reply' && purpose.to === entryId;
    const read = async (next: (found: Draft | undefined) => SetStateAction<Draft | undefined>) => {
      const found = await findBegunDraft(userName, isReply);
      if (isCurrent) setBegun(next(found));
    };
    void read((found) => found);
    const stopWatching = watchDrafts(({ revision }) => {
      // Typing does not change which reply was begun. A plain reply is open below the entry, where it follows the other
      // tabs.
      if (!revision) void read((found) => (known) => (known && isPlainReply(known, entryId) ? known : found));
    });
    return () => {
      isCurrent = false;
      stopWatching();
    };
  }, [entryId, userName]);
  return begun;
}
