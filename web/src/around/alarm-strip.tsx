import { useTranslation } from 'react-i18next';
import type { Alarm } from '../../../packages/control-system/device-view.ts';
import { LevelGlyph, levelRank } from '../components/level.tsx';
import { readingTime, severityLook } from '../devices/current-value.tsx';
import { type MarkGroup, placeMarks } from './place-marks.ts';
import { Strip } from './strip.tsx';
import { isShown, placeOf, useChart } from './use-chart.ts';

/** An alarm whose time is known. */
export type TimedAlarm = Alarm & { readonly at: number };

export const isTimed = (alarm: Alarm): alarm is TimedAlarm => alarm.at !== null;

const labelRoom = 84;

interface AlarmStripProps {
  readonly name: string;
  readonly alarms: readonly TimedAlarm[];
}

/** The alarms of a device as marks that differ by shape, colour and word. */
export function AlarmStrip({ name, alarms }: AlarmStripProps) {
  const { t } = useTranslation('around');
  const chart = useChart();
  const shown = alarms.filter(({ at }) => isShown(chart, at));
  const groups = placeMarks(shown, ({ at }) => placeOf(chart, at), { distance: 22, width: chart.width - chart.gutter });
  return (
    <Strip label={t('alarms')} className="around-alarms">
      <ul aria-label={t('alarmsOf', { name })}>
        {groups.map((group) => (
          <AlarmMark key={group.left} group={group} />
        ))}
      </ul>
    </Strip>
  );
}

function AlarmMark({ group: { left, room, items } }: { readonly group: MarkGroup<TimedAlarm> }) {
  const rank = ({ severity }: TimedAlarm) => levelRank(severityLook(severity));
  const [worst] = [...items].sort((one, other) => rank(one) - rank(other));
  if (!worst) return null;
  const look = severityLook(worst.severity);
  const all = items.map((alarm) => `${readingTime(alarm.at)} ${alarmText(alarm)}`).join('; ');
  return (
    <li className={`level ${look}`} style={{ left }} title={all}>
      <LevelGlyph level={look} />
      <span className={room >= labelRoom ? '' : 'visually-hidden'}>
        {worst.severity}
        {items.length > 1 && ` ×${items.length}`}
      </span>
    </li>
  );
}

/** Formats an alarm as `MAJOR, HIHI_ALARM, 480.5`. */
const alarmText = ({ severity, message, value }: Alarm): string =>
  [severity, message, value].filter((one) => one !== '').join(', ');
