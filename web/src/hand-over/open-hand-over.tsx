import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import { useFocusOfRest } from '../app/use-focus-back.ts';
import { formatTime } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { useMe } from '../session/me.ts';
import { shiftName } from '../shifts/shift-name.ts';
import { AcknowledgeButton } from './acknowledge-button.tsx';
import { type HandOver, openHandOvers } from './hand-over.ts';
import { handOversQuery } from './hand-over-queries.ts';
import './open-hand-over.css';

/** Delay of the first request, so that the list is loaded first. */
const afterListMs = 1_500;
/** Interval at which the hand-overs are read again. Notifications do not cause a read. */
const recheckMs = 120_000;

/** Shows a line above the list for each hand-over that the next shift has not acknowledged yet. */
export function OpenHandOver() {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), afterListMs);
    return () => clearTimeout(timer);
  }, []);
  return isDue ? (
    <Suspense>
      <OpenHandOverLines />
    </Suspense>
  ) : null;
}

function OpenHandOverLines() {
  const { data } = useQuery({ ...handOversQuery, refetchInterval: recheckMs, retry: false });
  const open = data && openHandOvers(data, serverNow());
  useFocusOfRest(open?.length);
  return open?.map((handOver) => <OpenHandOverLine key={handOver.entryId} handOver={handOver} />);
}

function OpenHandOverLine({ handOver }: { readonly handOver: HandOver }) {
  const { t } = useTranslation('hand-over');
  const me = useMe();
  const { shift, author, userName, writtenMs, fromMs, entryId } = handOver;
  return (
    <section className="open-hand-over" aria-label={t('handOver')}>
      <Icon of={ArrowLeftRight} />
      <p className="grow">
        {t('handedOver', {
          shift: shiftName(shift),
          name: author,
          time: formatTime(writtenMs),
        })}
      </p>
      <Link className="button small" to="/hand-over" search={{ shift: fromMs, entry: entryId }}>
        {t('read')}
      </Link>
      {me && me.userName !== userName && <AcknowledgeButton handOver={handOver} look="button primary small" />}
    </section>
  );
}
