import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../api/api.ts';
import { formatNumber } from '../components/format.ts';
import { entryCountsQuery, tagsQuery } from './catalog-queries.ts';
import { CatalogSection } from './catalog-section.tsx';

export function TagsSection() {
  const { t } = useTranslation('administration');
  const query = useQuery(tagsQuery);
  const { data: facets } = useQuery(entryCountsQuery);
  const countOf = (name: string) => facets && (facets.tags.values.find((one) => one.name === name)?.count ?? 0);
  return (
    <CatalogSection
      section="tags"
      query={query}
      columns={[{ header: t('entries'), isNumber: true, cell: ({ name }) => formatNumber(countOf(name) ?? 0) }]}
      countOf={countOf}
      toItem={(name, _form, stored) => ({ name, state: stored?.state ?? 'Active' })}
      put={(item) => api.PUT('/tags/{tagName}', { params: { path: { tagName: item.name } }, body: item })}
      remove={(tagName) => api.DELETE('/tags/{tagName}', { params: { path: { tagName } } })}
    />
  );
}
