import { expect, test } from 'vitest';
import { type ColumnName, type ColumnType, schema } from '../../src/backup/schema.js';

export interface SchemaEngine {
  /** Lists the columns of all tables as `table.column`, with the types that the database has. */
  listColumns(): Promise<readonly (readonly [column: string, type: string])[]>;
  /** Columns with another name in this database. */
  readonly names: Readonly<Partial<Record<ColumnName, string>>>;
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Tables and columns that only this database has. */
  readonly own: readonly string[];
}

/** The migrations of a database and the schema by which stores, backups and copies work create the same tables. */
export function schemaSuite({ listColumns, names, types, own }: SchemaEngine): void {
  test('the database has the tables and columns of the schema, and no others but its own', async () => {
    const found = (await listColumns()).filter(([column]) => !own.some((one) => `${column}.`.startsWith(`${one}.`)));
    const stated = Object.entries(schema).flatMap(([table, { columns }]) =>
      Object.entries(columns).map(([column, type]) => {
        const name = `${table}.${column}`;
        return [names[name as ColumnName] ?? name, types[type.replace('?', '') as ColumnType]] as const;
      }),
    );
    expect(toLines(found)).toEqual(toLines(stated));
  });
}

const toLines = (columns: readonly (readonly [string, string])[]) => columns.map((one) => one.join(' ')).sort();
