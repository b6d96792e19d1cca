import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Check, ChevronLeft, ChevronRight, Circle, Printer } from 'lucide-react';
import { lazy, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import type { Bootstrap } from '../api/types.ts';
import { ErrorBoundary } from '../app/error-boundary.tsx';
import { focusAfterAction } from '../app/page-focus.ts';
import { SidePanel } from '../app/side-panel.tsx';
import { useViewport } from '../app/viewport.ts';
import { formatDay, formatTime, formatWeekday } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { LatePart } from '../components/late-part.tsx';
import { Problem } from '../components/problem.tsx';
import { onSent } from '../drafts/sent-entries.ts';
import { shownKeys } from '../keys/shortcuts.ts';
import { TypedWords } from '../keys/typed-words.tsx';
import { useShortcut } from '../keys/use-shortcut.ts';
import { useBootstrap, useMe } from '../session/me.ts';
import { type Shift, shiftAfter, shiftAt, shiftBefore } from '../shifts/shift.ts';
import { shiftName } from '../shifts/shift-name.ts';
import { ComposeHandOver } from './compose-hand-over.tsx';
import type { HandOver } from './hand-over.ts';
import { handOversQuery } from './hand-over-queries.ts';
import { handOverSearch } from './hand-over-search.ts';
import { WrittenHandOver } from './written-hand-over.tsx';
import '../read/prose.css';
import '../read/read.css';
import './facts.css';
import './hand-over.css';

const ShiftReport = lazy(async () => ({ default: (await import('./shift-report.tsx')).ShiftReport }));

/** The hand-over of a shift: written by the one that ends, acknowledged by the one that begins. */
export function HandOverPage() {
  const bootstrap = useBootstrap();
  const query = useQuery({ ...handOversQuery, staleTime: 0 });
  const viewport = useViewport();
  const { shift: chosenMs, entry } = handOverSearch(useSearch({ strict: false }));
  const isKnown = bootstrap !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the first answer tells the time of the service
  const nowMs = useMemo(serverNow, [isKnown]);
  const [step, setStep] = useState<Step>();
  const { refetch } = query;
  useEffect(() => onSent(() => void refetch()), [refetch]);
  const chosen = query.data?.find((one) => one.entryId === entry);
  const isShown = bootstrap !== undefined && query.data !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once the shift is known
  useEffect(focusAfterAction, [isShown]);
  const current = bootstrap && (shiftOf(chosen) ?? chosenShift(bootstrap, query.data, chosenMs, nowMs));
  return (
    <div className="hand-over">
      {viewport !== 'phone' && viewport !== 'tablet' && (
        <SidePanel>{viewport === 'wide' && <PastShifts handOvers={query.data ?? []} />}</SidePanel>
      )}
      <ErrorBoundary resetKey={String(current?.startMs)}>
        {query.error ? (
          <main>
            <Problem error={query.error} retry={() => void refetch()} />
            <TypedWords />
          </main>
        ) : (
          bootstrap &&
          query.data &&
          current && (
            <OneShift
              key={`${current.startMs} ${entry}`}
              plan={bootstrap}
              shift={current}
              nowMs={nowMs}
              handOvers={query.data}
              entryId={entry}
              step={step?.toMs === current.startMs ? step : undefined}
              onStep={setStep}
            />
          )
        )}
      </ErrorBoundary>
    </div>
  );
}

/** The shift as it was when it was handed over: the times of shifts may have changed since. */
function shiftOf(handOver: HandOver | undefined): Shift | undefined {
  return handOver && { name: handOver.shift, startMs: handOver.fromMs, endMs: handOver.toMs };
}

/** Time after the end of a shift during which the page offers its hand-over. */
const graceMs = 60 * 60_000;

/**
 * The shift in the address; without one, the current shift, or the previous one during the first hour after it, unless
 * its hand-over was acknowledged.
 */
function chosenShift(
  plan: Bootstrap,
  handOvers: readonly HandOver[] | undefined,
  chosenMs: number | undefined,
  nowMs: number,
): Shift {
  if (chosenMs !== undefined) return shiftAt(chosenMs, plan);
  const present = shiftAt(nowMs, plan);
  const before = shiftBefore(present, plan);
  const isDone =
    handOvers?.some(({ fromMs, acknowledgement }) => fromMs === before.startMs && acknowledgement) ?? false;
  return nowMs - present.startMs < graceMs && !isDone ? before : present;
}

/** The button that led to a shift: it keeps the focus, so that it can be pressed again. */
interface Step {
  readonly edge: 'before' | 'after';
  readonly toMs: number;
}

interface OneShiftProps {
  readonly plan: Bootstrap;
  readonly shift: Shift;
  readonly nowMs: number;
  readonly handOvers: readonly HandOver[];
  /** The hand-over to show, if there are several. */
  readonly entryId: number | undefined;
  /** The button with which the reader came to this shift; undefined: the reader used none. */
  readonly step: Step | undefined;
  readonly onStep: (step: Step) => void;
}

/**
 * View of a shift: one of its hand-overs (`entryId` undefined: there is none yet), or the one that is being written
 * here.
 */
type View =
  | { readonly kind: 'reading'; readonly entryId: number | undefined }
  /**
   * `others`: the hand-overs that existed when the writing began. Later hand-overs by other people do not end the
   * writing.
   */
  | { readonly kind: 'writing'; readonly others: readonly number[] };

/** The hand-over that is shown, even after it is acknowledged; undefined: the page for writing a hand-over. */
function shownOf(view: View, ofShift: readonly HandOver[], userName: string | null | undefined): HandOver | undefined {
  if (view.kind === 'writing') {
    return ofShift.find((one) => one.userName === userName && !view.others.includes(one.entryId));
  }
  return (
    ofShift.find(({ entryId }) => entryId === view.entryId) ??
    ofShift.find(({ acknowledgement }) => !acknowledgement) ??
    ofShift[0]
  );
}

function OneShift({ plan, shift, nowMs, handOvers, entryId, step, onStep }: OneShiftProps) {
  const me = useMe();
  const [view, setView] = useState<View>({ kind: 'reading', entryId });
  const ofShift = handOvers.filter(({ fromMs }) => fromMs === shift.startMs);
  const shown = shownOf(view, ofShift, me?.userName);
  if (view.kind === 'reading' && shown && shown.entryId !== view.entryId) {
    setView({ kind: 'reading', entryId: shown.entryId });
  }
  const write = () => setView({ kind: 'writing', others: ofShift.map((one) => one.entryId) });
  const [isPrinting, setPrinting] = useState(false);
  const print = () => setPrinting(true);
  useShortcut('print', print);
  const report = isPrinting && (
    <LatePart onClose={() => setPrinting(false)}>
      <ShiftReport shift={shift} plan={plan} handOver={shown} onClose={() => setPrinting(false)} />
    </LatePart>
  );
  const head = (
    <>
      <ShiftHead {...{ plan, shift, nowMs, step, onStep }} onPrint={print} />
      {report}
    </>
  );
  const next = shiftAfter(shift, plan);
  return shown ? (
    <WrittenHandOver
      head={head}
      shift={shift}
      next={next}
      handOver={shown}
      others={ofShift.filter((one) => one !== shown)}
      onAnother={write}
    />
  ) : (
    <ComposeHandOver
      head={head}
      shift={shift}
      next={next}
      plan={plan}
      others={ofShift}
      isTextFirst={step === undefined}
      onBegun={() => view.kind === 'reading' && write()}
    />
  );
}

interface ShiftHeadProps extends Omit<OneShiftProps, 'handOvers' | 'entryId'> {
  readonly onPrint: () => void;
}

function ShiftHead({ plan, shift, nowMs, step, onStep, onPrint }: ShiftHeadProps) {
  const { t } = useTranslation('hand-over');
  const navigate = useNavigate();
  const before = shiftBefore(shift, plan);
  const after = shiftAfter(shift, plan);
  const steps = useRef<HTMLSpanElement>(null);
  const edge = useRef(step?.edge);
  useEffect(() => {
    if (edge.current === undefined) return;
    const buttons = steps.current?.querySelectorAll('button');
    (buttons?.[edge.current === 'after' ? 1 : 0] ?? buttons?.[0])?.focus();
  }, []);
  const go = (to: Shift, by: Step['edge']) => {
    onStep({ edge: by, toMs: to.startMs });
    void navigate({ to: '/hand-over', search: { shift: to.startMs } });
  };
  return (
    <>
      <h1>{t('shiftOf', { name: shiftName(shift.name), day: formatWeekday(shift.startMs) })}</h1>
      <span className="muted number">
        {formatTime(shift.startMs)} – {formatTime(shift.endMs)}
      </span>
      <span className="row steps" ref={steps}>
        <IconButton icon={ChevronLeft} small label={t('shiftBefore')} onClick={() => go(before, 'before')} />
        {after.startMs <= nowMs && (
          <IconButton icon={ChevronRight} small label={t('shiftAfter')} onClick={() => go(after, 'after')} />
        )}
      </span>
      <IconButton icon={Printer} small label={t('printReport')} keys={shownKeys('print')} onClick={onPrint} />
    </>
  );
}

const shownShifts = 8;

function PastShifts({ handOvers }: { readonly handOvers: readonly HandOver[] }) {
  const { t } = useTranslation('hand-over');
  const navigate = useNavigate();
  if (handOvers.length === 0) return null;
  return (
    <section aria-label={t('pastShifts')}>
      <h2>{t('pastShifts')}</h2>
      <ul>
        {handOvers.slice(0, shownShifts).map(({ entryId, shift, fromMs, author, acknowledgement }) => (
          <li key={entryId}>
            <button
              type="button"
              onClick={() => void navigate({ to: '/hand-over', search: { shift: fromMs, entry: entryId } })}
            >
              <Icon of={acknowledgement ? Check : Circle} label={t(acknowledgement ? 'acknowledged' : 'open')} />
              <span className="cut">
                {formatDay(fromMs)} {shiftName(shift)}
              </span>
              <span className="count cut">{author}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
