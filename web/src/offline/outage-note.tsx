import { CloudOff } from 'lucide-react';
import { Trans, useTranslation } from 'react-i18next';
import { formatTime } from '../components/format.ts';
import { Icon } from '../components/icon.tsx';
import { useOutage } from './connection.ts';

/** Says since when the service is unreachable, and that writing continues. The page stays. */
export function OutageNote() {
  const { t } = useTranslation();
  const sinceMs = useOutage();
  if (sinceMs === undefined) return null;
  return (
    <div className="note" role="status" data-outage="">
      <Icon of={CloudOff} />
      <span className="grow">
        <Trans t={t} i18nKey="outage" values={{ time: formatTime(sinceMs) }} components={[<b key="0" />]} />
      </span>
    </div>
  );
}
