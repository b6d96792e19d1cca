import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { SidePage } from '../app/side-page.tsx';
import { usePageName } from '../components/page-title.ts';
import { WatchSearch } from '../inbox/watch-search.tsx';
import { useBootstrap } from '../session/me.ts';
import { CurrentValue } from './current-value.tsx';
import { DeviceCurve } from './device-curve.tsx';
import { DeviceEntries } from './device-entries.tsx';
import { DeviceFacts } from './device-facts.tsx';
import { deviceQuery, deviceSearch } from './device-queries.ts';
import { Neighbours } from './neighbours.tsx';
import './device-page.css';

/** A device: the entries that mention it, and what the control system knows about it. */
export function DevicePage() {
  const { t } = useTranslation('device');
  const { name = '' } = useParams({ strict: false });
  const sources = useBootstrap()?.deviceSources ?? [];
  const { data: details, error } = useQuery(deviceQuery(name, sources.length > 0));
  usePageName(`${name} – Logbook`);
  return (
    <SidePage className="device-page">
      <div className="device-columns">
        <div>
          <div className="row">
            <h1 className="device">{name}</h1>
            <WatchSearch search={deviceSearch(name)} label={t('watch')} />
          </div>
          {details?.current && <CurrentValue current={details.current} />}
          {sources.includes('history') && <DeviceCurve key={`curve ${name}`} name={name} />}
          <DeviceEntries key={name} name={name} />
        </div>
        <div className="device-aside">
          {error && (
            <p className="hint" role="status">
              {error.message}
            </p>
          )}
          {details && <DeviceFacts details={details} />}
          <Neighbours name={name} known={details?.neighbours ?? []} />
        </div>
      </div>
    </SidePage>
  );
}
