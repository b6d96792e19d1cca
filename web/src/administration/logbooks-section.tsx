import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api } from '../api/api.ts';
import { formatNumber } from '../components/format.ts';
import { useUserOfPage } from '../session/me.ts';
import { accessRulesQuery, granteesText, ruleOf } from './access-rules.ts';
import { entryCountsQuery, type Logbook, logbooksQuery } from './catalog-queries.ts';
import { CatalogSection } from './catalog-section.tsx';
import type { Column } from './item-table.tsx';
import { TextField, textOf } from './side-form.tsx';

export function LogbooksSection() {
  const { t } = useTranslation('administration');
  const query = useQuery(logbooksQuery);
  const isAdmin = useUserOfPage()?.permissions.includes('admin') ?? false;
  const { data: rules } = useQuery({ ...accessRulesQuery, enabled: isAdmin });
  const { data: facets } = useQuery(entryCountsQuery);
  const countOf = (name: string) => facets && (facets.logbooks.values.find((one) => one.name === name)?.count ?? 0);
  const columns: Column<Logbook>[] = [
    {
      header: t('entries'),
      isNumber: true,
      cell: ({ name }) => {
        const count = countOf(name);
        return count === undefined ? '' : formatNumber(count);
      },
    },
  ];
  if (rules) {
    columns.unshift({
      header: t('mayWrite'),
      cell: ({ name }) => granteesText(t, rules, ruleOf(rules, name)?.write ?? null),
    });
  }
  return (
    <CatalogSection
      section="logbooks"
      query={query}
      columns={columns}
      noteOf={({ owner }) => t('ownedBy', { owner })}
      countOf={countOf}
      fields={(item) => <TextField name="owner" label={t('owner')} value={item?.owner} hint={t('ownerHint')} />}
      toItem={(name, form, stored) => ({ name, owner: textOf(form, 'owner'), state: stored?.state ?? 'Active' })}
      put={(item) => api.PUT('/logbooks/{logbookName}', { params: { path: { logbookName: item.name } }, body: item })}
      remove={(logbookName) => api.DELETE('/logbooks/{logbookName}', { params: { path: { logbookName } } })}
    />
  );
}
