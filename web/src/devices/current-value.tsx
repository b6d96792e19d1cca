import { useTranslation } from 'react-i18next';
import { daysAgo, formatDay, formatTime } from '../components/format.ts';
import { LevelGlyph } from '../components/level.tsx';
import type { DeviceDetails } from './device-queries.ts';

/** The value now, with its alarm and the time of the reading. */
export function CurrentValue({ current }: { readonly current: NonNullable<DeviceDetails['current']> }) {
  const { t } = useTranslation('device');
  const { text, severity, at } = current;
  return (
    <p className="device-now">
      <b className="number">{text}</b>
      {severity !== 'NONE' && (
        <span className={`level ${severityLook(severity)}`}>
          <LevelGlyph level={severityLook(severity)} /> {severity}
        </span>
      )}
      <span className="muted number">{t('readAt', { time: readingTime(at) })}</span>
    </p>
  );
}

/** The shape and colour in which an alarm is shown. */
export function severityLook(severity: string): 'urgent' | 'problem' | 'info' {
  if (severity.startsWith('MAJOR') || severity.startsWith('INVALID')) return 'urgent';
  return severity.startsWith('MINOR') || severity.startsWith('UNDEFINED') ? 'problem' : 'info';
}

export function readingTime(ms: number): string {
  return daysAgo(ms) === 0 ? formatTime(ms, true) : `${formatDay(ms)}, ${formatTime(ms, true)}`;
}
