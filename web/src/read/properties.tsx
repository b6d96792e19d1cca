import i18next from 'i18next';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { resourceProperty, snapshotIdOf } from '../../../packages/control-system/snapshot-address.ts';
import { deviceNamesIn } from '../../../packages/search-language/device-words.ts';
import type { Entry } from '../api/types.ts';
import { rootPath } from '../app/root-path.ts';
import { DeviceLink } from '../devices/device-link.tsx';
import { draftedByProperty } from '../drafts/draft.ts';
import { useFind } from '../find/find-context.ts';
import { withQuery } from '../find/find-search.ts';
import { withValue } from '../find/query-terms.ts';
import { useBootstrap } from '../session/me.ts';
import { shownProperties } from './entry-queries.ts';
import { linkAttributes } from './link-attributes.ts';
import type { SnapshotValuesProps } from './snapshot-values.tsx';

const SnapshotValues = lazy(async () => {
  const [loaded] = await Promise.all([
    import('./snapshot-values.tsx').catch(() => undefined),
    i18next.loadNamespaces('device'),
  ]);
  // The properties are still shown: an outage must not hide the entry.
  return { default: loaded?.SnapshotValues ?? ((_: SnapshotValuesProps) => null) };
});

/** The properties of an entry. Addresses are links; other values can be searched for. */
export function Properties({ entry }: { readonly entry: Entry }) {
  const { t } = useTranslation('read');
  const hasSnapshots = useBootstrap()?.deviceSources.includes('snapshots') ?? false;
  const properties = shownProperties(entry).filter(({ attributes }) => attributes.length > 0);
  const snapshotIds = hasSnapshots ? snapshotsOf(properties) : [];
  if (properties.length === 0) return null;
  return (
    <section aria-labelledby="properties-title">
      <h2 className="section-title" id="properties-title">
        {t('properties')}
      </h2>
      {properties.map(({ name, attributes }) => (
        <dl className="properties" key={name}>
          {attributes.map(({ name: attribute, value }) => (
            <div key={attribute}>
              <dt>
                {name === draftedByProperty ? (
                  t('draftedBy')
                ) : (
                  <>
                    <span className="muted">{name}</span>{' '}
                    {entry.devices?.includes(attribute) ? <DeviceLink name={attribute} /> : attribute}
                  </>
                )}
              </dt>
              <dd>
                {value && entry.devices?.includes(value) ? (
                  <DeviceLink name={value} />
                ) : (
                  <Value property={name} attribute={attribute} value={value ?? ''} />
                )}
              </dd>
            </div>
          ))}
        </dl>
      ))}
      {snapshotIds.map((snapshotId) => (
        <Suspense key={snapshotId}>
          <SnapshotValues entryId={entry.id} snapshotId={snapshotId} />
        </Suspense>
      ))}
    </section>
  );
}

/** The snapshots of save-and-restore that properties name. */
function snapshotsOf(properties: Entry['properties']): readonly string[] {
  const files = properties
    .filter(({ name }) => name === resourceProperty.name)
    .flatMap(({ attributes }) => attributes.filter(({ name }) => name === resourceProperty.attribute));
  return [...new Set(files.flatMap(({ value }) => snapshotIdOf(value ?? '') ?? []))];
}

interface ValueProps {
  readonly property: string;
  readonly attribute: string;
  readonly value: string;
}

function Value({ property, attribute, value }: ValueProps) {
  const { t } = useTranslation('read');
  const find = useFind();
  if (value === '') return <span className="muted">–</span>;
  if (/^https?:\/\/\S+$/i.test(value)) {
    return <a {...linkAttributes(value, { origin: location.origin, rootPath })}>{value}</a>;
  }
  const filter = () => {
    // A dot in a name would end it; `?` stands for any character.
    const [name, part] = [property, attribute].map((one) => one.replaceAll('.', '?'));
    const text = `${name}.${part}.${value}`;
    find?.change(withQuery(find.search, withValue(find.search.query, 'property', text, 'in')));
  };
  return (
    <button type="button" className="value-link" title={t('filterBy', { value })} onClick={filter}>
      {isDeviceName(value) ? <span className="device">{value}</span> : value}
    </button>
  );
}

function isDeviceName(value: string): boolean {
  const [name] = deviceNamesIn(value);
  return name === value;
}
