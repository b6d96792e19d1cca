import { useTranslation } from 'react-i18next';
import type { RangeProblem } from './time-range.ts';

/** Says what is wrong with a range of time. */
export function ProblemText({ problem }: { readonly problem: RangeProblem }) {
  const { t } = useTranslation('find');
  return problem.kind === 'unread' ? t('unreadTime', { text: problem.text }) : t('reversedTime');
}
