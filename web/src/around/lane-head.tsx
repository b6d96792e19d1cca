import { useTranslation } from 'react-i18next';
import { DeviceLink } from '../devices/device-link.tsx';

interface LaneHeadProps {
  readonly name: string;
  /** Value at the cursor or, without a cursor, at the moment; undefined: there is none. */
  readonly value?: string | undefined;
  /** Time of the cursor; undefined: the cursor is not on the chart. */
  readonly when?: string | undefined;
}

export function LaneHead({ name, value, when }: LaneHeadProps) {
  const { t } = useTranslation('around');
  return (
    <div className="around-head">
      <h2>
        <DeviceLink name={name} />
      </h2>
      {value !== undefined && (
        <span className="number">
          <b>{value}</b> <span className="muted">{when ?? t('atMoment')}</span>
        </span>
      )}
    </div>
  );
}
