import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../api/api.ts';
import { formatNumber } from '../components/format.ts';
import { Level as LevelName } from '../components/level.tsx';
import { entryCountsQuery, type Level, levelsQuery } from './catalog-queries.ts';
import { CatalogSection } from './catalog-section.tsx';

export function LevelsSection() {
  const { t } = useTranslation('administration');
  const query = useQuery(levelsQuery);
  const { data: facets } = useQuery(entryCountsQuery);
  const countOf = (name: string) => facets && (facets.levels.values.find((one) => one.name === name)?.count ?? 0);
  const put = (item: Level) => {
    const present = query.data?.find(({ defaultLevel, name }) => defaultLevel && name !== item.name);
    // At most one level is the default: both change together, or neither.
    const body = item.defaultLevel && present ? [{ ...present, defaultLevel: false }, item] : [item];
    return api.PUT('/levels', { body });
  };
  return (
    <CatalogSection
      section="levels"
      query={query}
      columns={[
        { header: t('look'), cell: ({ name }) => <LevelName level={name} /> },
        { header: t('defaultLevel'), cell: ({ defaultLevel }) => (defaultLevel ? t('isDefault') : '') },
        { header: t('entries'), isNumber: true, cell: ({ name }) => formatNumber(countOf(name) ?? 0) },
      ]}
      countOf={countOf}
      fields={(item) => (
        <label className="check">
          <input type="checkbox" name="defaultLevel" defaultChecked={item?.defaultLevel} />
          <span>{t('defaultLevelHint')}</span>
        </label>
      )}
      toItem={(name, form) => ({ name, defaultLevel: form.get('defaultLevel') !== null })}
      put={put}
      remove={(levelName) => api.DELETE('/levels/{levelName}', { params: { path: { levelName } } })}
    />
  );
}
