import { Clock } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../components/icon.tsx';
import { loadOnUse } from '../components/load-on-use.tsx';
import { timesOf } from './query-terms.ts';
import type { SearchControlProps } from './search-control-props.ts';

const TimePopover = loadOnUse<SearchControlProps>(async () => (await import('./time-popover.tsx')).TimePopover);

/** The range of time: a period before now, or a start and an end. */
export function TimePicker(props: SearchControlProps) {
  const { t } = useTranslation('find');
  const { start, end } = timesOf(props.search.query);
  const isEver = start === undefined && end === undefined;
  const label = isEver ? t('ever') : t('timeSet');
  const trigger = (
    <button type="button" className="button ghost small" title={label}>
      <Icon of={Clock} />
      <span className={`time-label ${isEver ? 'ever' : ''}`}>{label}</span>
    </button>
  );
  return <TimePopover {...props} trigger={trigger} />;
}
