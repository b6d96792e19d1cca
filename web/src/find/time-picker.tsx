import { Clock } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import { Icon } from '../components/icon.tsx';
import { loadOnUse } from '../components/load-on-use.tsx';
import { locale } from '../i18n/i18n.ts';
import { timesOf } from './query-terms.ts';
import type { SearchControlProps } from './search-control-props.ts';
import { rangeLabel } from './time-range.ts';
import { isKnownAmount } from './understood.tsx';

const TimePopover = loadOnUse<SearchControlProps>(async () => (await import('./time-popover.tsx')).TimePopover);

/** The range of time: a period before now, or a start and an end. Its button shows the range. */
export function TimePicker(props: SearchControlProps) {
  const { t } = useTranslation('find');
  const { start, end } = timesOf(props.search.query);
  const isEver = start === undefined && end === undefined;
  const amount = start !== undefined && end === undefined && isKnownAmount(start) ? t(`amounts.${start}`) : undefined;
  const texts = { from: (time: string) => t('from', { time }), until: (time: string) => t('until', { time }) };
  const label = isEver ? t('ever') : (amount ?? rangeLabel({ start, end }, serverNow(), locale(), texts));
  const name = isEver ? label : `${t('time')}: ${label}`;
  const trigger = (
    <button type="button" className="button ghost small" title={name} aria-label={name}>
      <Icon of={Clock} />
      <span className={`time-label cut ${isEver ? 'ever' : ''}`}>{label}</span>
    </button>
  );
  return <TimePopover {...props} trigger={trigger} typedFor="time" />;
}
