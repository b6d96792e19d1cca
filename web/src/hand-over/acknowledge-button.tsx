import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { formatDay } from '../components/format.ts';
import { useMe } from '../session/me.ts';
import { shiftName } from '../shifts/shift-name.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import type { HandOver } from './hand-over.ts';
import { useAcknowledge } from './hand-over-queries.ts';

/** The button with which the next shift takes over. */
export function AcknowledgeButton({
  handOver,
  look,
  label,
}: {
  readonly handOver: HandOver;
  /** CSS classes of the button. */
  readonly look: string;
  /** Default: “I have taken over”. */
  readonly label?: string;
}) {
  const { t } = useTranslation('hand-over');
  const me = useMe();
  const acknowledging = useAcknowledge();
  const { userName } = me ?? {};
  if (typeof userName !== 'string') {
    return (
      <Link className={look} to="/sign-in" search={{ returnTo: location.pathname + location.search }}>
        {t('signInToTakeOver')}
      </Link>
    );
  }
  const acknowledge = () => {
    const values = { shift: shiftName(handOver.shift), day: formatDay(handOver.fromMs) };
    acknowledging.mutate(
      { handOver, userName, title: t('takenOver', values) },
      {
        onSuccess: () => showToast(t('youTookOver')),
        onError: showProblem,
      },
    );
  };
  return (
    <button type="button" className={look} aria-disabled={acknowledging.isPending} onClick={acknowledge}>
      {label ?? t('iHaveTakenOver')}
    </button>
  );
}
