import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

export interface Column<T> {
  readonly header: string;
  readonly cell: (item: T) => ReactNode;
  readonly isNumber?: boolean;
}

export interface ItemTableProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  /** Identifies the item in the URL. */
  readonly keyOf: (item: T) => string;
  readonly nameOf: (item: T) => string;
  /** Returns the note below the name. */
  readonly noteOf?: (item: T) => ReactNode;
  readonly columns: readonly Column<T>[];
  readonly openKey: string | undefined;
  /** The button at the end of the row. */
  readonly actionOf: (item: T) => ReactNode;
}

/** Items as rows; the name opens the form of the item. */
export function ItemTable<T>({ label, items, columns, openKey, ...of }: ItemTableProps<T>) {
  const { t } = useTranslation('administration');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on narrow screens
    <section className="scroll-box" aria-label={label} tabIndex={0}>
      <table className="items">
        <thead>
          <tr>
            <th>{t('name')}</th>
            {columns.map(({ header, isNumber }) => (
              <th key={header} className={isNumber ? 'right' : undefined}>
                {header}
              </th>
            ))}
            <th>
              <span className="visually-hidden">{t('actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <Row key={of.keyOf(item)} item={item} columns={columns} isOpen={of.keyOf(item) === openKey} {...of} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps<T> extends Omit<ItemTableProps<T>, 'items' | 'openKey' | 'label'> {
  readonly item: T;
  readonly isOpen: boolean;
}

function Row<T>({ item, columns, isOpen, keyOf, nameOf, noteOf, actionOf }: RowProps<T>) {
  return (
    <tr className={isOpen ? 'open' : undefined}>
      <td>
        <Link
          className="item-name"
          to="."
          search={{ item: keyOf(item) }}
          aria-current={isOpen ? 'true' : undefined}
          dir="auto"
        >
          {nameOf(item)}
        </Link>
        {noteOf && <div className="muted">{noteOf(item)}</div>}
      </td>
      {columns.map(({ header, cell, isNumber }) => (
        <td key={header} className={isNumber ? 'right' : undefined}>
          {cell(item)}
        </td>
      ))}
      <td className="right">{actionOf(item)}</td>
    </tr>
  );
}
