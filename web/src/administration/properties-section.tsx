import { useQuery } from '@tanstack/react-query';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../api/api.ts';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { type Property, propertiesQuery } from './catalog-queries.ts';
import { CatalogSection } from './catalog-section.tsx';
import { TextField, textOf } from './side-form.tsx';

export function PropertiesSection() {
  const { t } = useTranslation('administration');
  const query = useQuery(propertiesQuery);
  return (
    <CatalogSection
      section="properties"
      query={query}
      columns={[
        {
          header: t('attributes'),
          cell: ({ attributes }) =>
            attributes
              .filter(isActive)
              .map(({ name }) => name)
              .join(', '),
        },
      ]}
      noteOf={({ owner }) => t('ownedBy', { owner })}
      fields={(item) => <PropertyFields item={item} />}
      toItem={(name, form, stored) => ({
        name,
        owner: textOf(form, 'owner'),
        state: stored?.state ?? 'Active',
        attributes: attributesOf(form, stored),
      })}
      put={(item) =>
        api.PUT('/properties/{propertyName}', { params: { path: { propertyName: item.name } }, body: item })
      }
      remove={(propertyName) => api.DELETE('/properties/{propertyName}', { params: { path: { propertyName } } })}
    />
  );
}

type Attribute = Property['attributes'][number];

const isActive = ({ state }: Attribute): boolean => state === 'Active';

/**
 * Returns the attributes in the form. Attributes that the user took out become inactive, so that old entries still
 * explain theirs.
 */
function attributesOf(form: FormData, stored: Property | undefined): Attribute[] {
  const values = form.getAll('attributeValue').map(String);
  const shown = form.getAll('attributeName').flatMap((name, at): Attribute[] => {
    const value = values[at] ?? '';
    const trimmed = String(name).trim();
    return trimmed === '' ? [] : [{ name: trimmed, value: value === '' ? null : value, state: 'Active' }];
  });
  const rest = (stored?.attributes ?? []).filter(({ name }) => !shown.some((one) => one.name === name));
  return [...shown, ...rest.map((one) => ({ ...one, state: 'Inactive' as const }))];
}

function PropertyFields({ item }: { readonly item: Property | undefined }) {
  const { t } = useTranslation('administration');
  const [rows, setRows] = useState(() => [
    ...(item?.attributes ?? []).filter(isActive).map(({ name, value }) => ({ id: name, name, value: value ?? '' })),
    ...(item ? [] : [{ id: 'first', name: '', value: '' }]),
  ]);
  return (
    <>
      <TextField name="owner" label={t('owner')} value={item?.owner} hint={t('ownerHint')} />
      <fieldset className="attributes">
        <legend className="label">{t('attributes')}</legend>
        {rows.map(({ id, name, value }, at) => (
          <div className="row" key={id}>
            <input
              className="input"
              name="attributeName"
              aria-label={t('attributeName', { number: at + 1 })}
              placeholder={t('name')}
              defaultValue={name}
              maxLength={255}
            />
            <input
              className="input"
              name="attributeValue"
              aria-label={t('attributeValue', { number: at + 1 })}
              placeholder={t('proposedValue')}
              defaultValue={value}
            />
            <IconButton
              icon={X}
              small
              label={t('removeAttribute', { name: name || at + 1 })}
              onClick={() => setRows(rows.filter((row) => row.id !== id))}
            />
          </div>
        ))}
        <button
          type="button"
          className="button ghost small"
          onClick={() => setRows([...rows, { id: `new ${Date.now()}`, name: '', value: '' }])}
        >
          <Icon of={Plus} />
          {t('addAttribute')}
        </button>
        <p className="hint">{t('attributesHint')}</p>
      </fieldset>
    </>
  );
}
