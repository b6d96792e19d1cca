/** Type of a column. `number`: a bigint that the database assigns where none is given. */
export type ColumnType = 'text' | 'integer' | 'bigint' | 'flag' | 'number';

/** The columns of a table in their order; `?`: may be null. */
export type Columns = Readonly<Record<string, ColumnType | `${ColumnType}?`>>;

export interface TableSchema<C extends Columns = Columns> {
  /** The columns by which rows are ordered and found; the first ones of the table. */
  readonly key: readonly string[];
  /** Columns in their order; those of the key come first. */
  readonly columns: C;
  /** The columns of which `crc` is the checksum; empty: there is none. */
  readonly checked: readonly string[];
  readonly isBackedUp: boolean;
}

interface Options<C extends Columns> {
  /** Default: the document, where there is one. */
  readonly checked?: readonly (keyof C & string)[];
  readonly isBackedUp?: boolean;
}

function table<const C extends Columns>(
  key: readonly (keyof C & string)[],
  columns: C,
  { checked = 'document' in columns ? ['document'] : [], isBackedUp = true }: Options<C> = {},
): TableSchema<C> {
  return { key, columns, checked, isBackedUp };
}

const document = { document: 'text', crc: 'bigint' } as const;
const account = { scheme: 'text', user_name: 'text' } as const;
const transient = { isBackedUp: false };

/**
 * The tables that all databases have, ordered so that rows refer only to rows of earlier tables. A backup has these
 * columns. Tables that only one database needs are not listed, nor tables that are derived from others, such as the
 * search index. Migrations of each database create the columns. A column that is added later needs a value that means
 * “not set”, because earlier backups lack the column.
 *
 * Columns called `version` contain revisions, which count all changes. They keep their name because backups and nodes
 * of earlier releases use it.
 */
export const schema = {
  store: table(['key'], { key: 'text', value: 'text' }),
  catalog_item: table(['kind', 'name'], { kind: 'text', name: 'text', ...document }),
  template: table(['id'], { id: 'text', folded_name: 'text', ...document }),
  attachment: table(['id'], { id: 'text', checksum: 'text', size: 'bigint', ...document }),
  // write: number of the last write of the entry; later writes have higher numbers. salts: see entry-digest.ts.
  entry: table(['id'], {
    id: 'bigint',
    version: 'integer',
    write: 'bigint',
    created_ms: 'bigint',
    owner: 'text',
    in_reply_to: 'bigint?',
    idempotency_key: 'text?',
    ...document,
    salts: 'text?',
  } as const),
  archived_entry: table(['entry_id', 'version'], {
    entry_id: 'bigint',
    version: 'integer',
    ...document,
    salts: 'text?',
  } as const),
  attachment_entry: table(['attachment_id', 'entry_id'], { attachment_id: 'text', entry_id: 'bigint' }),
  logbook_set: table(['id'], { id: 'number', names: 'text' }),
  entry_file: table(['entry_id', 'attachment_id', 'logbook_set'], {
    entry_id: 'bigint',
    attachment_id: 'text',
    logbook_set: 'bigint',
    filename: 'text',
    version: 'integer',
    place: 'integer',
  } as const),
  file_text: table(
    ['checksum'],
    { checksum: 'text', text: 'text', failure: 'text?', crc: 'bigint' },
    { checked: ['text', 'failure'] },
  ),
  pending_text_extraction: table(['checksum', 'entry_id'], {
    checksum: 'text',
    entry_id: 'bigint',
    content_type: 'text',
    attempts: 'integer',
  } as const),
  change: table(
    ['sequence'],
    {
      sequence: 'bigint',
      kind: 'text',
      entry_id: 'bigint',
      version: 'integer',
      notify: 'flag',
      at_ms: 'bigint',
      crc: 'bigint',
    } as const,
    { checked: ['kind', 'entry_id', 'version', 'notify', 'at_ms'] },
  ),
  redaction: table(['number'], { number: 'number', ...document }),
  ledger_checkpoint: table(['number'], { number: 'bigint', ...document }),
  audit_chain: table(['part'], { part: 'text', id: 'bigint', hash: 'text' }),
  ledger_tile: table(['level', 'position'], {
    level: 'integer',
    position: 'bigint',
    last_sequence: 'bigint',
    hashes: 'text',
  } as const),
  ledger_record: table(['sequence'], {
    sequence: 'bigint',
    kind: 'text',
    entry_id: 'bigint',
    version: 'integer',
    subject: 'text',
    at_ms: 'bigint',
    digest: 'text',
  } as const),
  api_token: table(['id'], { id: 'text', token_hash: 'text', created_ms: 'bigint', ...account, ...document }),
  audit: table(['id'], {
    ...{
      id: 'number',
      at_ms: 'bigint',
      user_name: 'text',
      action: 'text',
      outcome: 'text',
      ...document,
      hash: 'text?',
    },
  } as const),
  draft: table(['number'], {
    number: 'number',
    ...account,
    id: 'text',
    version: 'integer',
    modified_ms: 'bigint',
    title: 'text?',
    ...document,
  } as const),
  draft_file: table(['draft', 'id'], {
    draft: 'bigint',
    id: 'text',
    place: 'integer',
    size: 'bigint',
    checksum: 'text?',
    ...document,
  } as const),
  draft_part: table(['draft', 'file_id', 'place'], {
    draft: 'bigint',
    file_id: 'text',
    place: 'integer',
    size: 'bigint',
    checksum: 'text',
  } as const),
  idempotency_key: table(['number'], {
    number: 'number',
    ...account,
    key: 'text',
    fingerprint: 'text',
    at_ms: 'bigint',
    ...document,
  } as const),
  user_settings: table(['user_name', 'scheme'], {
    user_name: 'text',
    scheme: 'text',
    version: 'integer',
    ...document,
  } as const),
  saved_search: table(['number'], { number: 'number', id: 'text', ...account, is_shared: 'flag', ...document }),
  watcher: table(['number'], { number: 'number', ...account, ...document }),
  inbox_item: table(['number'], {
    ...{ number: 'number', ...account, sequence: 'bigint', entry_id: 'bigint', is_read: 'flag', ...document },
  } as const),
  subscriber: table(['name'], { name: 'text', sequence: 'bigint', ...document }),
  dead_letter: table(['id'], { id: 'number', subscriber: 'text', retry_requested: 'integer', ...document }),
  dropped_deliveries: table(['subscriber'], { subscriber: 'text', count: 'bigint' }),
  deferred_delivery: table(['id'], { id: 'number', subscriber: 'text', next_attempt_ms: 'bigint', ...document }),
  import_source: table(['name'], { name: 'text', state: 'text' }),
  imported_item: table(['source', 'kind', 'key'], {
    source: 'text',
    kind: 'text',
    key: 'text',
    target: 'text',
    version: 'integer',
    digest: 'text',
  } as const),
  // Not backed up: a restore would revive sessions that have ended since the backup.
  session: table(
    ['token_hash'],
    { token_hash: 'text', id: 'text', expires_ms: 'bigint', created_ms: 'bigint', ...account, ...document },
    transient,
  ),
  // Not backed up: it only records what this service has observed about its files.
  unreferenced_file: table(
    ['checksum'],
    { checksum: 'text', is_quarantined: 'flag', observed_ms: 'bigint' },
    transient,
  ),
};

export type Schema = typeof schema;
export type TableName = keyof Schema;
export type ColumnsOf<T extends TableName> = Schema[T]['columns'];

/** A column with its table, such as `entry.id`. */
export type ColumnName = { [T in TableName]: `${T}.${keyof ColumnsOf<T> & string}` }[TableName];

type ValueOf<T> = T extends `${infer Present}?`
  ? ValueOf<Present> | null
  : T extends 'text'
    ? string
    : T extends 'flag'
      ? boolean
      : number;

type Numbered<C> = { [N in keyof C]: C[N] extends 'number' ? N : never }[keyof C];

/** Values of a new row: all columns but those that the database assigns. */
export type NewRow<T extends TableName> = {
  readonly [N in Exclude<keyof ColumnsOf<T>, Numbered<ColumnsOf<T>>>]: ValueOf<ColumnsOf<T>[N]>;
};

/** Lists the columns of a type, as `ColumnName`. */
export function listColumns(type: ColumnType): (readonly [TableName, string])[] {
  return Object.entries(schema).flatMap(([name, { columns }]) =>
    Object.entries(columns).flatMap(([column, one]) => (one === type ? [[name as TableName, column] as const] : [])),
  );
}
