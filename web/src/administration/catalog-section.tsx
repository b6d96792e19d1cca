import type { UseQueryResult } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../components/format.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import type { AdministrationSearch } from './administration-search.ts';
import { useCatalogChange } from './catalog-queries.ts';
import { type Column, ItemTable } from './item-table.tsx';
import { SectionFrame } from './section-frame.tsx';
import { SideForm, TextField, textOf, useCloseForm } from './side-form.tsx';

interface Item {
  readonly name: string;
  readonly state?: 'Active' | 'Inactive';
}

export interface CatalogSectionProps<T extends Item> {
  readonly section: 'logbooks' | 'tags' | 'levels' | 'properties';
  readonly query: UseQueryResult<T[]>;
  readonly columns: readonly Column<T>[];
  readonly noteOf?: (item: T) => ReactNode;
  /** Number of entries with the name; absent where it is not counted. */
  readonly countOf?: (name: string) => number | undefined;
  /** The fields of the form other than the name. */
  readonly fields?: (item: T | undefined) => ReactNode;
  readonly toItem: (name: string, form: FormData, stored: T | undefined) => T;
  readonly put: (item: T) => Promise<unknown>;
  /** Deactivates the item. A level has no state, and is removed instead. */
  readonly remove: (name: string) => Promise<unknown>;
}

/** A part of the catalogue: the list of its items, and the form of one of them. */
export function CatalogSection<T extends Item>(props: CatalogSectionProps<T>) {
  const { section, query, columns, noteOf } = props;
  const { t } = useTranslation('administration');
  const { item: openName, new: isNew } = useSearch({ strict: false }) as AdministrationSearch;
  const items = [...(query.data ?? [])].sort((a, b) => Number(isInactive(a)) - Number(isInactive(b)));
  const active = items.filter((item) => !isInactive(item)).length;
  const open = items.find(({ name }) => name === openName);
  return (
    <SectionFrame
      title={t(`sections.${section}`)}
      summary={query.data && countText(t, active, items.length - active)}
      newLabel={t(`new.${section}`)}
      hint={t(`hints.${section}`)}
      error={query.error}
      retry={() => void query.refetch()}
      aside={(open ?? isNew) && <ItemForm {...props} key={open?.name ?? ''} item={open} />}
    >
      <ItemTable
        label={t(`sections.${section}`)}
        items={items}
        keyOf={({ name }) => name}
        nameOf={({ name }) => name}
        {...(noteOf && { noteOf })}
        columns={columns}
        openKey={openName}
        actionOf={(item) => isInactive(item) && <BringBack item={item} put={props.put} />}
      />
    </SectionFrame>
  );
}

const isInactive = ({ state }: Item): boolean => state === 'Inactive';

function countText(
  t: ReturnType<typeof useTranslation<'administration'>>['t'],
  active: number,
  inactive: number,
): string {
  return inactive === 0 ? t('active', { count: active }) : t('activeAndInactive', { count: active, inactive });
}

function BringBack<T extends Item>({ item, put }: { readonly item: T } & Pick<CatalogSectionProps<T>, 'put'>) {
  const { t } = useTranslation('administration');
  const change = useCatalogChange(put);
  return (
    <span className="row end">
      <span className="muted">{t('inactive')}</span>
      <button
        type="button"
        className="button small"
        onClick={() => change.mutate({ ...item, state: 'Active' }, { onError: showProblem })}
      >
        {t('bringBack')}
      </button>
    </span>
  );
}

function ItemForm<T extends Item>(props: CatalogSectionProps<T> & { readonly item: T | undefined }) {
  const { section, query, item, countOf, fields, toItem, put } = props;
  const { t } = useTranslation('administration');
  const close = useCloseForm();
  const change = useCatalogChange(put);
  const count = item && countOf?.(item.name);
  const save = async (form: FormData) => {
    const name = item?.name ?? textOf(form, 'name');
    // The list may not have loaded yet, or lack items that others have stored since.
    const stored = item ? undefined : (await query.refetch({ throwOnError: true })).data;
    const same = stored?.find((other) => other.name === name);
    if (same) throw new Error(t(isInactive(same) ? 'existsInactive' : 'exists', { name }));
    await change.mutateAsync(toItem(name, form, item));
    showToast(t('saved', { name }));
    close();
  };
  return (
    <SideForm
      title={item?.name ?? t(`new.${section}`)}
      onSave={save}
      removal={item && !isInactive(item) && <Removal {...props} item={item} />}
    >
      <TextField
        name="name"
        label={t('name')}
        value={item?.name}
        isReadOnly={item !== undefined}
        isRequired
        maxLength={255}
        hint={
          <>
            {t(item ? 'nameStays' : 'caseCounts')}
            {count !== undefined && ` ${t('entriesCarry', { count, number: formatNumber(count) })}`}
          </>
        }
      />
      {fields?.(item)}
    </SideForm>
  );
}

/** Button that deactivates or removes the item. The action can be undone. */
function Removal<T extends Item>({ item, put, remove }: CatalogSectionProps<T> & { readonly item: T }) {
  const { t } = useTranslation('administration');
  const close = useCloseForm();
  const restoring = useCatalogChange(put);
  const removing = useCatalogChange(remove);
  const hasState = item.state !== undefined;
  const run = async () => {
    try {
      await removing.mutateAsync(item.name);
    } catch (error) {
      showProblem(error);
      return;
    }
    close();
    showToast(t(hasState ? 'nowInactive' : 'removed', { name: item.name }), {
      durationMs: 10_000,
      action: { label: t('undo'), run: () => restoring.mutate(item, { onError: showProblem }) },
    });
  };
  return (
    <button type="button" className="button danger" onClick={() => void run()}>
      {t(hasState ? 'makeInactive' : 'remove')}
    </button>
  );
}
