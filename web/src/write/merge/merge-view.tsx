import { ChevronLeft, GitMerge } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Trans, useTranslation } from 'react-i18next';
import { isFocusFree } from '../../app/page-focus.ts';
import { formatId, formatTime } from '../../components/format.ts';
import { Icon } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { Level } from '../../components/level.tsx';
import type { Draft, DraftContent } from '../../drafts/draft.ts';
import type { OpenDraft } from '../../drafts/open-draft.ts';
import type { Light as LightState } from '../../drafts/server-copy.ts';
import { shownKeys } from '../../keys/shortcuts.ts';
import { useShortcut } from '../../keys/use-shortcut.ts';
import { ToastRegion } from '../../toasts/toast-region.tsx';
import { showToast } from '../../toasts/toasts.ts';
import { Light } from '../light.tsx';
import { Preview } from '../preview.tsx';
import type { Theirs } from '../use-staleness.ts';
import { ConflictCard } from './conflict-card.tsx';
import '../tools.css';
import './merge.css';
import { keepDecisions, readDecisions } from './kept-decisions.ts';
import { type Decisions, mergeContents } from './merge-content.ts';
import { SettledCard } from './settled-card.tsx';

interface MergeViewProps {
  readonly open: OpenDraft;
  readonly theirs: Theirs;
  readonly light: LightState;
  readonly onBack: () => void;
  readonly onSubmit: () => Promise<void>;
}

/** Two changes of one entry. The user decides the conflicts; everything else is folded. */
export function MergeView(props: MergeViewProps) {
  const { t } = useTranslation('write');
  const merging = useMerging(props);
  const { open, theirs } = props;
  const { changes, conflicts, decisions, result } = merging;
  useShortcut('send', () => void merging.save());
  const page = useRef<HTMLDivElement>(null);
  // Runs again when someone has saved once more: this may end the conflict that had the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    if (!isFocusFree()) return;
    focusFirstConflict();
    if (isFocusFree()) page.current?.querySelector<HTMLElement>('.primary')?.focus();
  }, [theirs]);
  return (
    <div className="app write-page" ref={page}>
      <MergeHead {...props} merging={merging} />
      <main className="merge">
        <section className="merge-changes" aria-label={t('merge.changes')}>
          {conflicts.map((change, at) => (
            <ConflictCard
              key={change.id}
              change={change}
              by={theirs.by}
              atMs={theirs.atMs}
              place={t('merge.place', { at: at + 1, all: conflicts.length })}
              decided={decisions[change.id]}
              onDecide={(text) => merging.decide(change.id, text)}
            />
          ))}
          {changes
            .filter(({ kind }) => kind !== 'conflict')
            .map((change) => (
              <SettledCard key={change.id} change={change} by={theirs.by} />
            ))}
          {conflicts.length > 0 && (
            <p className="hint">
              <Trans
                t={t}
                i18nKey="merge.keys"
                values={{ name: theirs.by }}
                components={[<kbd key="0" />, <kbd key="1" />, <kbd key="2" />]}
              />
            </p>
          )}
        </section>
        <Result draft={open.draft} content={result} />
      </main>
      <ToastRegion />
    </div>
  );
}

function focusFirstConflict(): void {
  document.querySelector<HTMLElement>('.conflict.open [role="radio"]')?.focus();
}

function MergeHead({ theirs, light, onBack, merging }: MergeViewProps & { readonly merging: Merging }) {
  const { t } = useTranslation('write');
  const { changes, openCount } = merging;
  const note = t('merge.open', { count: openCount });
  const settledCount = changes.length - openCount;
  return (
    <header>
      <div className="note" role="status">
        <Icon of={GitMerge} />
        <span className="grow">
          <Trans
            t={t}
            i18nKey="merge.note"
            values={{ name: theirs.by, time: formatTime(theirs.atMs), open: note }}
            components={[<b key="0" />]}
          />
        </span>
        <Light light={light} />
      </div>
      <div className="write-head">
        <IconButton icon={ChevronLeft} label={t('merge.back')} onClick={onBack} />
        <h1 className="number">{t('merge.title', { id: formatId(theirs.entryId) })}</h1>
        <span className="muted cut">{t('merge.settled', { settled: settledCount, all: changes.length })}</span>
        <span className="grow" />
        <button type="button" className="button ghost" onClick={() => void merging.saveAsReply()}>
          {t('merge.asReply')}
        </button>
        <button type="button" className="button primary" onClick={() => void merging.save()}>
          {t('merge.save')}
          <kbd>{shownKeys('send')}</kbd>
        </button>
      </div>
    </header>
  );
}

type Merging = ReturnType<typeof useMerging>;

function useMerging({ open, theirs, onBack, onSubmit }: MergeViewProps) {
  const { t } = useTranslation('write');
  const { id: draftId, purpose, content } = open.draft;
  const [decisions, setDecisions] = useState<Decisions>(() => readDecisions(draftId));
  const merge = useMemo(() => {
    const base = purpose.kind === 'edit' ? purpose.base.content : content;
    return mergeContents(base, content, theirs.content);
  }, [purpose, content, theirs]);
  const conflicts = merge.changes.filter(({ kind }) => kind === 'conflict');
  const openCount = conflicts.filter(({ id }) => decisions[id] === undefined).length;
  const result = merge.result(decisions);
  return {
    changes: merge.changes,
    conflicts,
    openCount,
    decisions,
    result,
    decide: (id: string, text: string) => {
      const next = { ...decisions, [id]: text };
      setDecisions(next);
      keepDecisions(draftId, next);
    },
    save: async () => {
      if (openCount > 0) {
        focusFirstConflict();
        return void showToast(t('merge.undecided'));
      }
      const { by: _, atMs: __, ...base } = theirs;
      open.change(result, { purpose: { kind: 'edit', base } });
      return onSubmit();
    },
    saveAsReply: async () => {
      const title = content.title.startsWith('Re: ') ? content.title : `Re: ${content.title}`;
      const files = content.files.filter(({ from }) => from === 'added');
      open.change({ title, files, events: [] }, { purpose: { kind: 'reply', to: theirs.entryId, title } });
      onBack();
    },
  };
}

/** The entry as it will be stored. */
function Result({ draft, content }: { readonly draft: Draft; readonly content: DraftContent }) {
  const { t } = useTranslation('write');
  return (
    <section className="merge-result" aria-label={t('merge.result')}>
      <div className="tools">
        <span className="label">{t('merge.result')}</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <article tabIndex={0} aria-label={t('merge.result')}>
        <h2>{content.title}</h2>
        <div className="row merge-meta">
          <Level level={content.level} />
          {[...content.logbooks, ...content.tags].map((name) => (
            <span key={name} className="chip">
              {name}
            </span>
          ))}
        </div>
        <Preview draft={{ ...draft, content }} />
        {content.files.length > 0 && (
          <>
            <h3>{t('merge.files', { count: content.files.length })}</h3>
            <ul className="merge-files">
              {content.files.map(({ id, name }) => (
                <li key={id}>{name}</li>
              ))}
            </ul>
          </>
        )}
      </article>
    </section>
  );
}
