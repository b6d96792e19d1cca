import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../components/format.ts';
import { suggestQuery } from '../find/search-queries.ts';
import { DeviceLink } from './device-link.tsx';
import { namePrefix } from './device-names.ts';

interface NeighboursProps {
  readonly name: string;
  /** Neighbours that the directory knows. */
  readonly known: readonly string[];
}

const maxFromIndex = 20;

/** Devices with the same prefix: those that entries mention, with the number of entries, and those in the directory. */
export function Neighbours({ name, known }: NeighboursProps) {
  const { t } = useTranslation('device');
  const prefix = namePrefix(name);
  const { data } = useQuery({
    ...suggestQuery('device', prefix ?? '', maxFromIndex),
    enabled: prefix !== undefined,
  });
  const mentioned = (data ?? []).filter(
    ({ value }) => value !== name && prefix !== undefined && startsWith(value, prefix),
  );
  const others = known.filter((one) => one !== name && !mentioned.some(({ value }) => value === one));
  if (mentioned.length + others.length === 0) return null;
  return (
    <section aria-labelledby="device-neighbours">
      <h2 id="device-neighbours">{t('neighbours')}</h2>
      <ul className="device-neighbours">
        {mentioned.map(({ value, count }) => (
          <li key={value}>
            <DeviceLink name={value} />
            <span className="muted number">{t('mentions', { count, shown: formatNumber(count) })}</span>
          </li>
        ))}
        {others.map((one) => (
          <li key={one}>
            <DeviceLink name={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

const startsWith = (text: string, start: string): boolean => text.toLowerCase().startsWith(start.toLowerCase());
