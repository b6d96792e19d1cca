import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api } from '../api/api.ts';
import { Level } from '../components/level.tsx';
import type { DraftProperty } from '../drafts/draft.ts';
import { useBootstrap } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import { PropertiesField, type PropertyDefinition } from '../write/details/properties-field.tsx';
import type { AdministrationSearch } from './administration-search.ts';
import { type Template, templatesQuery, useCatalogChange } from './catalog-queries.ts';
import { ItemTable } from './item-table.tsx';
import { SectionFrame } from './section-frame.tsx';
import { SideForm, TextField, textOf, useCloseForm } from './side-form.tsx';

/** Body of the request that stores a template. */
interface TemplateInput {
  readonly id?: string;
  readonly name: string;
  readonly title: string;
  readonly level: string;
  readonly source: string;
  readonly logbooks: { name: string }[];
  readonly tags: { name: string }[];
  readonly properties: { name: string; attributes: { name: string; value: string | null }[] }[];
}

const putTemplate = (body: TemplateInput) => api.PUT('/templates', { body });
const removeTemplate = (logTemplateId: string) =>
  api.DELETE('/templates/{logTemplateId}', { params: { path: { logTemplateId } } });

export function TemplatesSection() {
  const { t } = useTranslation('administration');
  const { item: openId, new: isNew } = useSearch({ strict: false }) as AdministrationSearch;
  const query = useQuery(templatesQuery);
  const templates = query.data ?? [];
  const open = templates.find(({ id }) => id === openId);
  return (
    <SectionFrame
      title={t('sections.templates')}
      summary={query.data && t('templates', { count: templates.length })}
      newLabel={t('new.templates')}
      hint={t('hints.templates')}
      error={query.error}
      retry={() => void query.refetch()}
      aside={(open ?? isNew) && <TemplateForm key={open?.id ?? ''} template={open} />}
    >
      <ItemTable
        label={t('sections.templates')}
        items={templates}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        noteOf={({ title }) => title}
        columns={[
          { header: t('level'), cell: ({ level }) => <Level level={level} /> },
          { header: t('logbooks'), cell: ({ logbooks }) => logbooks.map(({ name }) => name).join(', ') },
          { header: t('owner'), cell: ({ owner }) => owner },
        ]}
        openKey={openId}
        actionOf={() => null}
      />
    </SectionFrame>
  );
}

function TemplateForm({ template }: { readonly template: Template | undefined }) {
  const { t } = useTranslation('administration');
  const close = useCloseForm();
  const storing = useCatalogChange(putTemplate);
  const [properties, setProperties] = useState<readonly DraftProperty[]>();
  const definitions = useBootstrap()?.properties;
  const shown = properties ?? propertiesOf(template, definitions ?? []);
  const save = async (form: FormData) => {
    const names = (field: string) => form.getAll(field).map((name) => ({ name: String(name) }));
    const name = textOf(form, 'name');
    await storing.mutateAsync({
      ...(template && { id: template.id }),
      name,
      title: textOf(form, 'title'),
      level: textOf(form, 'level'),
      source: String(form.get('source') ?? ''),
      logbooks: names('logbooks'),
      tags: names('tags'),
      properties: shown.map(({ name: of, attributes }) => ({ name: of, attributes: [...attributes] })),
    });
    showToast(t('saved', { name }));
    close();
  };
  return (
    <SideForm
      title={template?.name ?? t('new.templates')}
      onSave={save}
      removal={template && <RemoveTemplate template={template} />}
    >
      <TextField name="name" label={t('name')} value={template?.name} isRequired />
      <TextField name="title" label={t('templateTitle')} value={template?.title} hint={t('templateTitleHint')} />
      <LevelField template={template} />
      <NamesField field="logbooks" chosen={template?.logbooks ?? []} />
      <NamesField field="tags" chosen={template?.tags ?? []} />
      <label className="field">
        <span className="label">{t('text')}</span>
        <textarea className="input" name="source" rows={8} defaultValue={template?.source} />
      </label>
      {/* The form finds changes in its fields. */}
      <input type="hidden" name="properties" value={properties === undefined ? '' : JSON.stringify(properties)} />
      <PropertiesField properties={shown} definitions={definitions ?? []} onChange={setProperties} />
    </SideForm>
  );
}

/** The properties of a template, including attributes that were added since the template was stored. */
function propertiesOf(template: Template | undefined, definitions: readonly PropertyDefinition[]): DraftProperty[] {
  return (template?.properties ?? []).map(({ name, attributes }) => {
    const stored = attributes.map((attribute) => ({ name: attribute.name, value: attribute.value ?? '' }));
    const known = definitions.find((one) => one.name === name)?.attributes ?? [];
    const added = known.filter((attribute) => !stored.some((one) => one.name === attribute.name));
    return { name, attributes: [...stored, ...added.map((attribute) => ({ name: attribute.name, value: '' }))] };
  });
}

function LevelField({ template }: { readonly template: Template | undefined }) {
  const { t } = useTranslation('administration');
  const bootstrap = useBootstrap();
  const levels = bootstrap?.configuration.levels ?? [];
  const value = template?.level ?? bootstrap?.defaultLevel ?? '';
  return (
    <label className="field">
      <span className="label">{t('level')}</span>
      <select className="input" name="level" defaultValue={value}>
        {[...new Set([value, ...levels])].map((level) => (
          <option key={level}>{level}</option>
        ))}
      </select>
    </label>
  );
}

interface NamesFieldProps {
  readonly field: 'logbooks' | 'tags';
  readonly chosen: readonly { readonly name: string }[];
}

/** Names to choose from. Chosen names are kept, even if they are inactive now. */
function NamesField({ field, chosen }: NamesFieldProps) {
  const { t } = useTranslation('administration');
  const known = useBootstrap()?.configuration[field].map(({ name }) => name) ?? [];
  const names = [...new Set([...chosen.map(({ name }) => name), ...known])].sort((a, b) => a.localeCompare(b));
  if (names.length === 0) return null;
  return (
    <fieldset className="names">
      <legend className="label">{t(field)}</legend>
      {names.map((name) => (
        <label className="check" key={name}>
          <input type="checkbox" name={field} value={name} defaultChecked={chosen.some((one) => one.name === name)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  );
}

function RemoveTemplate({ template }: { readonly template: Template }) {
  const { t } = useTranslation('administration');
  const close = useCloseForm();
  const removing = useCatalogChange(removeTemplate);
  const restoring = useCatalogChange(putTemplate);
  const run = async () => {
    try {
      await removing.mutateAsync(template.id);
    } catch (error) {
      showProblem(error);
      return;
    }
    close();
    showToast(t('removed', { name: template.name }), {
      durationMs: 10_000,
      action: { label: t('undo'), run: () => restoring.mutate(template, { onError: showProblem }) },
    });
  };
  return (
    <button type="button" className="button danger" onClick={() => void run()}>
      {t('remove')}
    </button>
  );
}
