import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Check, Circle } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { focusAfterAction } from '../app/page-focus.ts';
import { formatDay, formatTime } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { dropKeys } from '../keys/held-keys.ts';
import { Prose } from '../read/prose.tsx';
import { initials } from '../session/account-menu.tsx';
import { useBootstrap, useMe } from '../session/me.ts';
import type { Shift } from '../shifts/shift.ts';
import { shiftName } from '../shifts/shift-name.ts';
import { entryQuery } from '../wall/use-wall.ts';
import { AcknowledgeButton } from './acknowledge-button.tsx';
import type { HandOver } from './hand-over.ts';
import { LevelCounts, Unanswered } from './shift-summary.tsx';
import { useShiftFacts } from './use-shift-facts.ts';

interface WrittenProps {
  readonly head: ReactNode;
  readonly shift: Shift;
  readonly next: Shift;
  readonly handOver: HandOver;
  /** The other hand-overs of this shift, such as those of another control room. */
  readonly others: readonly HandOver[];
  /** Begins another hand-over of the shift. */
  readonly onAnother: () => void;
}

export function WrittenHandOver({ head, shift, next, handOver, others, onAnother }: WrittenProps) {
  const { t } = useTranslation('hand-over');
  const plan = useBootstrap();
  const facts = useShiftFacts(shift, plan);
  const { data: entry } = useQuery(entryQuery(handOver.entryId));
  useEffect(dropKeys, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the button that was pressed has gone
  useEffect(focusAfterAction, [handOver.acknowledgement === undefined]);
  return (
    <>
      <main className="hand-over-main">
        <header className="hand-over-head">{head}</header>
        <LevelCounts levels={plan?.configuration.levels ?? []} counts={facts.counts ?? []} />
        {facts.unanswered && facts.unanswered.length > 0 && <Unanswered hits={facts.unanswered} />}
        <section className="hand-over-text" aria-labelledby="hand-over-text">
          <h2 id="hand-over-text">{t('forNextShift')}</h2>
          {entry && <Prose source={entry.source} plots={entry} />}
          <Link className="button" to="/entries/$entryId" params={{ entryId: String(handOver.entryId) }} search={{}}>
            {t('openEntry')}
          </Link>
        </section>
      </main>
      <aside className="hand-over-aside">
        <h2>{t('handOver')}</h2>
        <dl className="facts">
          <dt>{t('from')}</dt>
          <dd>{t('nameAndShift', { name: handOver.author, shift: shiftName(shift.name) })}</dd>
          <dt>{t('to')}</dt>
          <dd>{shiftName(next.name)}</dd>
          <dt>{t('written')}</dt>
          <dd className="number">
            {formatDay(handOver.writtenMs)} {formatTime(handOver.writtenMs)}
          </dd>
          <dt>{t('writtenTo')}</dt>
          <dd>{handOver.logbooks.join(', ')}</dd>
        </dl>
        <h2>{t('then', { shift: shiftName(next.name) })}</h2>
        <Acknowledgement handOver={handOver} next={next} />
        {others.length > 0 && <OtherHandOvers handOvers={others} />}
        <section>
          <button type="button" className="button" onClick={onAnother}>
            {t('another')}
          </button>
        </section>
      </aside>
    </>
  );
}

/** The other hand-overs of the shift, such as those of another control room. */
export function OtherHandOvers({ handOvers }: { readonly handOvers: readonly HandOver[] }) {
  const { t } = useTranslation('hand-over');
  return (
    <section aria-labelledby="other-hand-overs">
      <h2 id="other-hand-overs">{t('others')}</h2>
      <ul className="plain-list">
        {handOvers.map(({ entryId, fromMs, author, writtenMs, acknowledgement }) => (
          <li key={entryId}>
            <Link className="row" to="/hand-over" search={{ shift: fromMs, entry: entryId }}>
              <Icon of={acknowledgement ? Check : Circle} label={t(acknowledgement ? 'acknowledged' : 'open')} />
              <span className="grow cut">{author}</span>
              <span className="number">{formatTime(writtenMs)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Acknowledgement({ handOver, next }: Pick<WrittenProps, 'handOver' | 'next'>) {
  const { t } = useTranslation('hand-over');
  const me = useMe();
  const { acknowledgement } = handOver;
  if (!acknowledgement && me?.userName === handOver.userName) return <HandedOver handOver={handOver} next={next} />;
  if (!acknowledgement) {
    return (
      <>
        <AcknowledgeButton handOver={handOver} look="button primary big" />
        <p className="hint">{t('acknowledgeHint')}</p>
      </>
    );
  }
  const { by, atMs } = acknowledgement;
  return (
    <div className="card-note row" role="status">
      <span className="avatar">{initials(by)}</span>
      <span className="grow">
        <b>{by}</b>
        <span className="muted">{t('tookOver', { day: formatDay(atMs), time: formatTime(atMs) })}</span>
      </span>
      <Icon of={Check} />
    </div>
  );
}

/**
 * Tells the author that the next shift has not taken over yet. The author may acknowledge, too, because both shifts may
 * share a user name.
 */
function HandedOver({ handOver, next }: Pick<WrittenProps, 'handOver' | 'next'>) {
  const { t } = useTranslation('hand-over');
  return (
    <>
      <div className="card-note row" role="status">
        <span className="grow">
          <b>{t('handedOverNow')}</b>
          <span className="muted">{t('waitsFor', { shift: shiftName(next.name) })}</span>
        </span>
        <Icon of={Check} />
      </div>
      <section>
        <AcknowledgeButton handOver={handOver} look="button" label={t('takeOverMyself')} />
      </section>
    </>
  );
}
