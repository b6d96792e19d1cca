import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../api/api.ts';
import { formatNumber } from '../components/format.ts';
import { useBootstrap, useUserOfPage } from '../session/me.ts';
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
      fields={(item) => (
        <>
          <TextField name="owner" label={t('owner')} value={item?.owner} hint={t('ownerHint')} />
          <DevicesField devices={item?.devices ?? []} />
        </>
      )}
      toItem={(name, form, stored) => ({
        name,
        owner: textOf(form, 'owner'),
        state: stored?.state ?? 'Active',
        ...(form.has('devices') && { devices: textOf(form, 'devices').split(/\s+/).filter(Boolean) }),
      })}
      put={(item) => api.PUT('/logbooks/{logbookName}', { params: { path: { logbookName: item.name } }, body: item })}
      remove={(logbookName) => api.DELETE('/logbooks/{logbookName}', { params: { path: { logbookName } } })}
    />
  );
}

/** The devices whose values new entries receive. Only shown if the service reads values. */
function DevicesField({ devices }: { readonly devices: readonly string[] }) {
  const { t } = useTranslation('administration');
  const hintId = useId();
  const sources = useBootstrap()?.deviceSources ?? [];
  if (!sources.includes('live') && !sources.includes('history')) return null;
  return (
    <div className="field">
      <label>
        <span className="label">{t('devices')}</span>
        <textarea
          className="input"
          name="devices"
          rows={4}
          defaultValue={devices.join('\n')}
          spellCheck={false}
          autoCapitalize="off"
          aria-describedby={hintId}
        />
      </label>
      <p className="hint" id={hintId}>
        {t('devicesHint')}
      </p>
    </div>
  );
}
