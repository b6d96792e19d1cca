import { useTranslation } from 'react-i18next';
import type { DeviceAlarms, DeviceHistory } from '../../../packages/control-system/device-view.ts';
import { Cut, Problems } from '../devices/device-facts.tsx';
import { AlarmStrip, isTimed } from './alarm-strip.tsx';
import { LaneCurve } from './lane-curve.tsx';
import { LaneHead } from './lane-head.tsx';

/** Answers about a device; undefined: not loaded yet, or no such source. */
export interface LaneData {
  readonly name: string;
  readonly history: DeviceHistory | undefined;
  readonly alarms: DeviceAlarms | undefined;
  /** Error of a refused request; null if there is none. */
  readonly error: Error | null;
}

/** The alarms and the curve of a device on the common axis. */
export function DeviceLane({ lane: { name, history, alarms, error } }: { readonly lane: LaneData }) {
  const { t } = useTranslation('around');
  const strip = alarms && alarms.problems.length === 0 && (
    <AlarmStrip name={name} alarms={alarms.alarms.filter(isTimed)} />
  );
  // An unavailable source is reported once for all devices.
  const problems = [history, alarms].flatMap((answer) => answer?.problems ?? []);
  return (
    <section className="around-lane" aria-label={name}>
      {history && history.samples.length > 0 ? (
        <LaneCurve history={history}>{strip}</LaneCurve>
      ) : (
        <>
          <LaneHead name={name} />
          {strip}
        </>
      )}
      <Problems problems={problems.filter(({ code }) => code !== 'unavailable')} />
      {history?.isCut && <Cut />}
      {alarms?.isCut && <p className="hint">{t('alarmsCut')}</p>}
      {error && (
        <p className="hint" role="status">
          {error.message}
        </p>
      )}
    </section>
  );
}
