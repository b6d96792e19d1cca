import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ArrowLeftRight } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import { formatTime } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { shiftName } from '../shifts/shift-name.ts';
import { AcknowledgeButton } from './acknowledge-button.tsx';
import { handOversQuery } from './hand-over-queries.ts';
import './open-hand-over.css';

/** The list comes first. */
const afterListMs = 1_500;
/** Instead of a request with each notification. */
const recheckMs = 120_000;
/** An older one was forgotten. */
const shownForMs = 24 * 3_600_000;

/** Says above the list that the last shift was handed over, until the next one has taken over. */
export function OpenHandOver() {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), afterListMs);
    return () => clearTimeout(timer);
  }, []);
  return isDue ? (
    <Suspense>
      <OpenHandOverLine />
    </Suspense>
  ) : null;
}

function OpenHandOverLine() {
  const { t } = useTranslation('hand-over');
  const { data } = useQuery({ ...handOversQuery, refetchInterval: recheckMs, retry: false });
  // The one written last: the times of a shift are those of its writer.
  const latest = data?.toSorted((a, b) => b.writtenMs - a.writtenMs)[0];
  if (!latest || latest.acknowledgement || serverNow() - latest.writtenMs > shownForMs) return null;
  return (
    <section className="open-hand-over" aria-label={t('handOver')}>
      <Icon of={ArrowLeftRight} />
      <p className="grow">
        {t('handedOver', {
          shift: shiftName(latest.shift),
          name: latest.author,
          time: formatTime(latest.writtenMs),
        })}
      </p>
      <Link className="button small" to="/hand-over" search={{ shift: latest.fromMs }}>
        {t('read')}
      </Link>
      <AcknowledgeButton handOver={latest} />
    </section>
  );
}
