import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import type { Bootstrap, Me } from '../api/types.ts';
import { isFocusFree } from '../app/page-focus.ts';
import { formatDay } from '../components/format.ts';
import type { Beginning } from '../drafts/begin-draft.ts';
import { type Draft, otherAuthor } from '../drafts/draft.ts';
import { lastLogbooks } from '../drafts/last-logbooks.ts';
import type { OpenDraft } from '../drafts/open-draft.ts';
import { takeBack, useOutbox } from '../drafts/outbox.ts';
import { sendDraft } from '../drafts/send-draft.ts';
import { type ContinuedDraft, useContinuedDraft } from '../drafts/use-continued-draft.ts';
import { dropKeys } from '../keys/held-keys.ts';
import { shownKeys } from '../keys/shortcuts.ts';
import { useShortcut } from '../keys/use-shortcut.ts';
import { useMe } from '../session/me.ts';
import { PasswordForm } from '../session/password-form.tsx';
import type { Shift } from '../shifts/shift.ts';
import { shiftName } from '../shifts/shift-name.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import { checkDraft } from '../write/check-draft.ts';
import { Light } from '../write/light.tsx';
import { type HandOver, handOverOf, isHandOverOf } from './hand-over.ts';
import { HandOverText, useTextState } from './hand-over-text.tsx';
import { handOverText } from './prefill.ts';
import { LevelCounts, Unanswered } from './shift-summary.tsx';
import { useShiftFacts } from './use-shift-facts.ts';
import { OtherHandOvers } from './written-hand-over.tsx';

interface ComposeProps {
  readonly head: ReactNode;
  readonly shift: Shift;
  readonly next: Shift;
  readonly plan: Bootstrap;
  /** Hand-overs that others have written for this shift. */
  readonly others: readonly HandOver[];
  /** Whether the text takes the focus. */
  readonly isTextFirst: boolean;
  /** Called when the text is changed, or the hand-over is being sent. */
  readonly onBegun: () => void;
}

/** A hand-over that is being written, filled in from what happened. */
export function ComposeHandOver({ head, shift, next, plan, others, isTextFirst, onBegun }: ComposeProps) {
  const me = useMe();
  const facts = useShiftFacts(shift, plan);
  const opened = useContinuedDraft({
    key: `hand-over ${shift.startMs}`,
    userName: me?.userName,
    isWanted: (draft) => draft.purpose.kind === 'new' && isHandOverOf(draft, shift.startMs),
    beginning: useBeginning(shift, plan),
  });
  const open = opened?.open;
  useEffect(() => open?.setUser(me?.userName ?? null), [open, me?.userName]);
  const [isPreparing, setPreparing] = useState(false);
  const sending = useOutbox().find((draft) => isHandOverOf(draft, shift.startMs));
  const isSending = sending !== undefined;
  const begun = useRef(onBegun);
  begun.current = onBegun;
  const noteBegun = useCallback(() => begun.current(), []);
  useEffect(() => {
    if (isSending) noteBegun();
  }, [isSending, noteBegun]);
  return (
    <>
      <main className="hand-over-main">
        <header className="hand-over-head">
          {head}
          <span className="grow" />
          {opened && !sending && <DraftLight open={opened.open} isStored={opened.isStored} onBegun={noteBegun} />}
        </header>
        <LevelCounts levels={plan.configuration.levels} counts={facts.counts ?? []} />
        {facts.unanswered && facts.unanswered.length > 0 && <Unanswered hits={facts.unanswered} />}
        {open && !sending && <HandOverText open={open} plan={plan} isFirst={isTextFirst} onPreparing={setPreparing} />}
      </main>
      <aside className="hand-over-aside">
        {sending ? (
          <Sending draft={sending} />
        ) : (
          open && <Details {...{ open, shift, next, plan, isPreparing }} busiest={facts.busiest} />
        )}
        {others.length > 0 && <OtherHandOvers handOvers={others} />}
      </aside>
    </>
  );
}

function useBeginning(shift: Shift, plan: Bootstrap): Beginning | undefined {
  const { t } = useTranslation('hand-over');
  const { counts, busiest, unanswered, error } = useShiftFacts(shift, plan);
  const me = useMe();
  if (!me || (!error && (!counts || !unanswered))) return undefined;
  const logbook = preferredLogbook(me, busiest);
  const content = {
    title: t('title', { name: shiftName(shift.name), day: formatDay(shift.startMs) }),
    text: handOverText(t, counts ?? [], unanswered ?? []),
    level: plan.defaultLevel,
    logbooks: logbook === undefined ? [] : [logbook],
    properties: [handOverOf(shift)],
  };
  return { purpose: { kind: 'new' }, content };
}

/** Returns the logbook for a hand-over that names none; undefined if the user may not write to any. */
function preferredLogbook(me: Me | undefined, busiest: readonly string[]): string | undefined {
  const writable = writableLogbooks(me);
  const preferred = [rememberedLogbook(), ...busiest, ...lastLogbooks()];
  return preferred.find((name) => name !== null && writable.includes(name)) ?? writable[0];
}

function writableLogbooks(me: Me | undefined): string[] {
  return (me?.logbooks ?? []).filter(({ write }) => write).map(({ name }) => name);
}

const logbookKey = 'logbook.handOverLogbook';

function rememberedLogbook(): string | null {
  try {
    return localStorage.getItem(logbookKey);
  } catch {
    return null;
  }
}

function rememberLogbook(name: string): void {
  try {
    localStorage.setItem(logbookKey, name);
  } catch {
    // The choice is not remembered: the user makes it again next time.
  }
}

/** Shows where the text is stored. An unchanged hand-over is not a draft yet: it is stored from its first change on. */
function DraftLight({
  open,
  isStored,
  onBegun,
}: Pick<ContinuedDraft, 'open' | 'isStored'> & { readonly onBegun: () => void }) {
  const { draft, light } = useTextState(open);
  const first = useRef({ open, revision: draft.revision });
  // Another draft is opened once the hand-over has been sent.
  if (first.current.open !== open) first.current = { open, revision: draft.revision };
  const isBegun = isStored || draft.revision !== first.current.revision;
  useEffect(() => (isBegun ? open.open() : undefined), [open, isBegun]);
  useEffect(() => {
    if (isBegun) onBegun();
  }, [isBegun, onBegun]);
  return isBegun ? <Light light={light} /> : null;
}

interface DetailsProps {
  readonly open: OpenDraft;
  readonly shift: Shift;
  readonly next: Shift;
  readonly plan: Bootstrap;
  /** The logbooks of the shift, the one with the most entries first. */
  readonly busiest: readonly string[];
  /** Whether files are still being prepared. */
  readonly isPreparing: boolean;
}

/** Shows the writer, the next shift, the logbook and the button. */
function Details({ open, shift, next, plan, busiest, isPreparing }: DetailsProps) {
  const { t } = useTranslation('hand-over');
  const { t: tWrite } = useTranslation('write');
  const me = useMe();
  const { draft } = useTextState(open);
  // A hand-over that was begun without a session names no logbook.
  const [logbook = preferredLogbook(me, busiest)] = draft.content.logbooks;
  const author = otherAuthor(draft, me);
  const maySend = typeof me?.userName === 'string' && author === undefined;
  const send = useSend({ open, plan, logbook, isPreparing });
  useShortcut('send', () => void send(), maySend);
  return (
    <>
      <h2>{t('handOver')}</h2>
      <dl className="facts">
        <dt>{t('from')}</dt>
        <dd>
          {t('nameAndShift', { name: author ?? me?.displayName ?? me?.userName ?? '–', shift: shiftName(shift.name) })}
        </dd>
        <dt>{t('to')}</dt>
        <dd>{shiftName(next.name)}</dd>
      </dl>
      {maySend ? (
        <>
          <LogbookField open={open} logbook={logbook} />
          <button type="button" className="button primary big" onClick={() => void send()}>
            {t('send')}
            <kbd>{shownKeys('send')}</kbd>
          </button>
          <p className="hint">{t('sendHint')}</p>
        </>
      ) : (
        <section aria-label={t('signInFirst')}>
          <p className="hint">
            {author === undefined ? (
              t('signInFirst')
            ) : (
              <Trans t={tWrite} i18nKey="session.other" values={{ name: author }} components={[<b key="0" />]} />
            )}
          </p>
          <PasswordForm userName={author} isAsked={false} onSignedIn={() => undefined} />
        </section>
      )}
      <h2>{t('then', { shift: shiftName(next.name) })}</h2>
      <p className="card-note muted">{t('thenText')}</p>
    </>
  );
}

type SendDeps = Pick<DetailsProps, 'open' | 'plan' | 'isPreparing'> & { readonly logbook: string | undefined };

/** Returns the action that sends the hand-over, or states why it cannot be sent. */
function useSend({ open, plan, logbook, isPreparing }: SendDeps): () => Promise<void> {
  const { t } = useTranslation('hand-over');
  const { t: tWrite } = useTranslation('write');
  const me = useMe();
  return async () => {
    if (logbook === undefined) return void showToast(t('noLogbook'), { tone: 'problem' });
    if (open.draft.content.logbooks.length === 0) open.change({ logbooks: [logbook] });
    const problems = Object.values(checkDraft(open.draft, { bootstrap: plan, me }, tWrite));
    const problem = problems.find((one) => one !== undefined);
    if (problem !== undefined) return void showToast(problem, { tone: 'problem' });
    if (isPreparing) return void showToast(tWrite('problem.converting'));
    await sendDraft(open).catch(showProblem);
  };
}

function LogbookField({ open, logbook }: Pick<SendDeps, 'open' | 'logbook'>) {
  const { t } = useTranslation('hand-over');
  const writable = writableLogbooks(useMe());
  // The field would otherwise show another logbook than that of the draft.
  const others = logbook === undefined || writable.includes(logbook) ? [] : [logbook];
  return (
    <label className="field">
      <span className="label">{t('writtenTo')}</span>
      <select
        className="input"
        value={logbook ?? ''}
        aria-invalid={others.length > 0}
        onChange={({ target }) => {
          rememberLogbook(target.value);
          open.change({ logbooks: [target.value] });
        }}
      >
        {[...others, ...writable].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}

/** Says that the hand-over will be sent in a moment, or waits, and offers to undo that. */
function Sending({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation('hand-over');
  const state = draft.submission?.state ?? 'queued';
  const undo = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    dropKeys();
    // The button that was pressed has gone.
    if (isFocusFree()) undo.current?.focus();
  }, []);
  return (
    <div role="status">
      <h2>{t(`sending.${state}`)}</h2>
      {draft.submission?.problem !== undefined && <p className="hint bad">{draft.submission.problem}</p>}
      <button ref={undo} type="button" className="button" onClick={() => void takeBack(draft.id)}>
        {t('takeBack')}
      </button>
    </div>
  );
}
