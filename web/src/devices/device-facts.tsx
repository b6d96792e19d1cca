import { useTranslation } from 'react-i18next';
import type { Problem } from '../../../packages/control-system/device-view.ts';
import { LevelGlyph } from '../components/level.tsx';
import { readingTime, severityLook } from './current-value.tsx';
import { limitNames } from './curve-of.ts';
import type { DeviceDetails } from './device-queries.ts';

/** Facts of the sources about a device, and the reasons for missing ones. */
export function DeviceFacts({ details }: { readonly details: DeviceDetails }) {
  return (
    <>
      <Problems problems={details.problems} />
      {details.current && <Limits current={details.current} />}
      <Alarms {...details} />
      {details.channel && <Channel channel={details.channel} />}
      <Snapshots {...details} />
    </>
  );
}

/** Says which values are missing: otherwise it would look as if there were none. */
export function Problems({ problems }: { readonly problems: readonly Problem[] }) {
  const { t } = useTranslation('device');
  return problems.map(({ source, code }) => (
    <p className="hint" role="status" key={`${source} ${code}`}>
      {t(`problems.${code}`, { source: t(`sources.${source}`) })}
    </p>
  ));
}

/** Says that an answer is incomplete because it reached a limit. */
export function Cut() {
  const { t } = useTranslation('device');
  return (
    <p className="hint" role="status">
      {t('cut')}
    </p>
  );
}

function Limits({ current: { limits, units } }: { readonly current: NonNullable<DeviceDetails['current']> }) {
  const { t } = useTranslation('device');
  const set = limitNames.flatMap((name) => {
    const value = limits[name];
    return typeof value === 'number' ? [{ name, value }] : [];
  });
  if (set.length === 0) return null;
  return (
    <section aria-labelledby="device-limits">
      <h2 id="device-limits">{t('limits')}</h2>
      <dl className="device-list">
        {set.map(({ name, value }) => (
          <div key={name}>
            <dt>{t(`limit.${name}`)}</dt>
            <dd className="number">{`${value} ${typeof units === 'string' ? units : ''}`.trim()}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Alarms({ alarms, areAlarmsCut }: Pick<DeviceDetails, 'alarms' | 'areAlarmsCut'>) {
  const { t } = useTranslation('device');
  if (alarms.length === 0) return null;
  return (
    <section aria-labelledby="device-alarms">
      <h2 id="device-alarms">{t('alarms')}</h2>
      <ul className="device-alarms">
        {alarms.map(({ at, severity, message, value }, position) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: alarms have no other name
          <li key={position}>
            <span className={`level ${severityLook(severity)}`}>
              <LevelGlyph level={severityLook(severity)} /> {severity}
            </span>
            <span className="grow">{[message, value].filter((one) => one !== '').join(', ')}</span>
            {typeof at === 'number' && <span className="muted number">{readingTime(at)}</span>}
          </li>
        ))}
      </ul>
      {areAlarmsCut && <p className="hint">{t('alarmsCut')}</p>}
    </section>
  );
}

function Channel({ channel }: { readonly channel: NonNullable<DeviceDetails['channel']> }) {
  const { t } = useTranslation('device');
  return (
    <section aria-labelledby="device-channel">
      <h2 id="device-channel">{t('directory')}</h2>
      <dl className="device-list">
        {channel.properties.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {channel.tags.length > 0 && (
          <div>
            <dt>{t('tags')}</dt>
            <dd>{channel.tags.join(', ')}</dd>
          </div>
        )}
      </dl>
    </section>
  );
}

function Snapshots({ snapshots, areSnapshotsCut }: Pick<DeviceDetails, 'snapshots' | 'areSnapshotsCut'>) {
  const { t } = useTranslation('device');
  if (snapshots.length === 0 && !areSnapshotsCut) return null;
  return (
    <section aria-labelledby="device-snapshots">
      <h2 id="device-snapshots">{t('snapshots')}</h2>
      <dl className="device-list">
        {snapshots.map(({ id, name, at, value }) => (
          <div key={id}>
            <dt>
              {name} <span className="number">{readingTime(at)}</span>
            </dt>
            <dd className="number">{value}</dd>
          </div>
        ))}
      </dl>
      {areSnapshotsCut && <p className="hint">{t('snapshotsCut')}</p>}
    </section>
  );
}
