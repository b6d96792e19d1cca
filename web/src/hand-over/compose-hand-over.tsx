import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { Bootstrap } from '../api/types.ts';
import { formatDay } from '../components/format.ts';
import type { Draft } from '../drafts/draft.ts';
import type { DraftState, OpenDraft } from '../drafts/open-draft.ts';
import { queueDraft, takeBack, useOutbox } from '../drafts/outbox.ts';
import { useMe } from '../session/me.ts';
import { PasswordForm } from '../session/sign-in-page.tsx';
import type { Shift } from '../shifts/shift.ts';
import { shiftName } from '../shifts/shift-name.ts';
import { showToast } from '../toasts/toasts.ts';
import type { EditorHandle } from '../write/editor/editor-handle.ts';
import { MarkdownEditor } from '../write/editor/markdown-editor.tsx';
import { Light } from '../write/light.tsx';
import { EditorTools } from './editor-tools.tsx';
import { handOverText } from './prefill.ts';
import { LevelCounts, Unanswered } from './shift-summary.tsx';
import { type Beginning, isHandOverOf, type OpenedHandOver, useHandOverDraft } from './use-hand-over-draft.ts';
import { useShiftFacts } from './use-shift-facts.ts';

interface ComposeProps {
  readonly head: ReactNode;
  readonly shift: Shift;
  readonly next: Shift;
  readonly plan: Bootstrap;
}

/** A hand-over that is being written, filled in from what happened. */
export function ComposeHandOver({ head, shift, next, plan }: ComposeProps) {
  const me = useMe();
  const facts = useShiftFacts(shift, plan);
  const opened = useHandOverDraft(shift, me?.userName, useBeginning(shift, plan));
  const open = opened?.open;
  useEffect(() => open?.setUser(me?.userName ?? null), [open, me?.userName]);
  const sending = useOutbox().find((draft) => isHandOverOf(draft, shift.startMs));
  return (
    <>
      <main className="hand-over-main">
        <header className="hand-over-head">
          {head}
          <span className="grow" />
          {opened && !sending && <DraftLight {...opened} />}
        </header>
        <LevelCounts levels={plan.configuration.levels} counts={facts.counts ?? []} />
        {facts.unanswered && facts.unanswered.length > 0 && <Unanswered hits={facts.unanswered} />}
        {open && !sending && <HandOverText open={open} />}
      </main>
      <aside className="hand-over-aside">
        {sending ? <Sending draft={sending} /> : open && <Details open={open} shift={shift} next={next} />}
      </aside>
    </>
  );
}

function useBeginning(shift: Shift, plan: Bootstrap): Beginning | undefined {
  const { t } = useTranslation('hand-over');
  const { counts, busiest, unanswered, error } = useShiftFacts(shift, plan);
  const me = useMe();
  if (!me || (!error && (!counts || !unanswered))) return undefined;
  const writable = me.logbooks.filter(({ write }) => write).map(({ name }) => name);
  const preferred = [rememberedLogbook(), ...busiest];
  const logbook = preferred.find((name) => name !== null && writable.includes(name)) ?? writable[0];
  return {
    title: t('title', { name: shiftName(shift.name), day: formatDay(shift.startMs) }),
    text: handOverText(t, counts ?? [], unanswered ?? []),
    level: plan.defaultLevel,
    logbooks: logbook === undefined ? [] : [logbook],
  };
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
    // It is chosen again next time.
  }
}

function useDraftState(open: OpenDraft): DraftState {
  return useSyncExternalStore(open.watch, open.read);
}

/** Where the text is. A hand-over that is only looked at is no draft yet: it is kept from the first change on. */
function DraftLight({ open, isStored }: OpenedHandOver) {
  const { draft, light } = useDraftState(open);
  const first = useRef(draft.revision);
  const isBegun = isStored || draft.revision !== first.current;
  useEffect(() => (isBegun ? open.open() : undefined), [open, isBegun]);
  return isBegun ? <Light light={light} /> : null;
}

function HandOverText({ open }: { readonly open: OpenDraft }) {
  const { t } = useTranslation('hand-over');
  const { draft, foreign } = useDraftState(open);
  const editor = useRef<EditorHandle>(null);
  return (
    <section className="hand-over-text" aria-labelledby="hand-over-text">
      <h2 className="row" id="hand-over-text">
        {t('forNextShift')}
        <span className="grow" />
        <span className="muted">{t('filledIn')}</span>
      </h2>
      <div className="box">
        <EditorTools editor={editor} />
        <MarkdownEditor
          text={draft.content.text}
          foreign={foreign}
          label={t('forNextShift')}
          hint={t('textHint')}
          onChange={(text) => open.change({ text })}
          handle={editor}
        />
      </div>
    </section>
  );
}

interface DetailsProps {
  readonly open: OpenDraft;
  readonly shift: Shift;
  readonly next: Shift;
}

/** From whom to whom, into which logbook, and the button. */
function Details({ open, shift, next }: DetailsProps) {
  const { t } = useTranslation('hand-over');
  const me = useMe();
  const { draft } = useDraftState(open);
  const [logbook = ''] = draft.content.logbooks;
  const writable = (me?.logbooks ?? []).filter(({ write }) => write);
  const isSignedIn = typeof me?.userName === 'string';
  const send = async () => {
    if (logbook === '') {
      showToast(t('noLogbook'), { tone: 'problem' });
      return;
    }
    await open.store();
    open.close();
    await queueDraft(open.draft.id, me?.userName ?? undefined);
  };
  return (
    <>
      <h2>{t('handOver')}</h2>
      <dl className="facts">
        <dt>{t('from')}</dt>
        <dd>{t('nameAndShift', { name: me?.displayName ?? me?.userName ?? '–', shift: shiftName(shift.name) })}</dd>
        <dt>{t('to')}</dt>
        <dd>{shiftName(next.name)}</dd>
      </dl>
      {isSignedIn ? (
        <>
          <label className="field">
            <span className="label">{t('writtenTo')}</span>
            <select
              className="input"
              value={logbook}
              onChange={({ target }) => {
                rememberLogbook(target.value);
                open.change({ logbooks: [target.value] });
              }}
            >
              {writable.map(({ name }) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <button type="button" className="button primary big" onClick={() => void send()}>
            {t('send')}
          </button>
          <p className="hint">{t('sendHint')}</p>
        </>
      ) : (
        <section aria-label={t('signInFirst')}>
          <p className="hint">{t('signInFirst')}</p>
          <PasswordForm onSignedIn={() => undefined} />
        </section>
      )}
      <h2>{t('then', { shift: shiftName(next.name) })}</h2>
      <p className="card-note muted">{t('thenText')}</p>
    </>
  );
}

/** It goes in a moment, or waits; until then it can be taken back. */
function Sending({ draft }: { readonly draft: Draft }) {
  const { t } = useTranslation('hand-over');
  const state = draft.submission?.state ?? 'queued';
  return (
    <div role="status">
      <h2>{t(`sending.${state}`)}</h2>
      {draft.submission?.problem !== undefined && <p className="hint bad">{draft.submission.problem}</p>}
      <button type="button" className="button" onClick={() => void takeBack(draft.id)}>
        {t('takeBack')}
      </button>
    </div>
  );
}
