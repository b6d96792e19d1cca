import { counted } from '../kernel/text.js';

/** Evidence by which `verify` detects a change of a table that was made without the service. */
interface Coverage {
  /** Evidence that covers the table; undefined: none. */
  readonly by?: 'its digest' | 'its record' | 'the entries' | 'the tree' | 'its chain' | 'signatures';
  /** Part that is not covered, as a phrase; undefined: all of it is covered. */
  readonly uncovered?: string;
}

const personal =
  'drafts, settings, saved searches, watches and inboxes of users, and the stored results of writes with an idempotency key';
const deliveries = 'deliveries to subscribers, and the change feed from which clients learn of changes';
const imports = 'the progress of imports';
const texts = 'texts extracted from files, by which searches find them';

/**
 * Evidence by which `verify` detects a change made without the service, for each table by its name in `backupTables`.
 */
export const tableCoverage: Readonly<Record<string, Coverage>> = {
  store: { uncovered: 'the name of the logbook, and the progress of its background jobs' },
  catalog_item: { by: 'its record' },
  template: { uncovered: 'templates' },
  attachment: {
    by: 'the entries',
    uncovered: 'descriptions of files outside of the entries, and files that no entry shows',
  },
  entry: {
    by: 'its digest',
    uncovered: 'the order in which entries were last written, and the idempotency keys of writes',
  },
  archived_entry: { by: 'its digest' },
  attachment_entry: { by: 'the entries' },
  logbook_set: { by: 'the entries' },
  entry_file: { by: 'the entries' },
  file_text: { uncovered: texts },
  pending_text_extraction: { uncovered: texts },
  change: { uncovered: deliveries },
  redaction: { by: 'its record' },
  ledger_checkpoint: { by: 'signatures', uncovered: 'the newest stored checkpoints: they can be removed' },
  audit_chain: { by: 'its chain', uncovered: 'the oldest audit records: they can be removed as if they had expired' },
  ledger_tile: { by: 'the tree' },
  ledger_record: { by: 'the tree' },
  api_token: { uncovered: 'API tokens and sessions' },
  audit: { by: 'its chain' },
  draft: { uncovered: personal },
  draft_file: { uncovered: personal },
  draft_part: { uncovered: personal },
  idempotency_key: { uncovered: personal },
  user_settings: { uncovered: personal },
  saved_search: { uncovered: personal },
  watcher: { uncovered: personal },
  inbox_item: { uncovered: personal },
  subscriber: { uncovered: deliveries },
  dead_letter: { uncovered: deliveries },
  dropped_deliveries: { uncovered: deliveries },
  deferred_delivery: { uncovered: deliveries },
  import_source: { uncovered: imports },
  imported_item: { uncovered: imports },
};

const always = [
  'everything newer than the newest checkpoint, including audit records: someone can make any change that the service could have made',
  'everything derived from the tables: the search index, thumbnails, copies on the nodes of a cluster',
  'what PostgreSQL does outside of the schema of the logbook: event triggers, extensions, and the rights and settings of roles',
];

/** Facts about one logbook that decide which changes have no evidence. */
interface Found {
  readonly isFillingFiles: boolean;
  readonly withoutReplyLink: number;
  readonly withoutProperties: number;
  readonly unchainedAudit: number;
}

/** Lists the data that are not covered in any logbook, each as a phrase. */
export function listAlwaysUncovered(): string[] {
  return [...new Set([...always, ...Object.values(tableCoverage).flatMap(({ uncovered }) => uncovered ?? [])])];
}

/** Lists the data that someone could change in this logbook without a finding, each as a phrase. */
export function listUncovered({
  isFillingFiles,
  withoutReplyLink,
  withoutProperties,
  unchainedAudit,
}: Found): string[] {
  return [
    ...listAlwaysUncovered(),
    ...(withoutReplyLink > 0
      ? [`reply links of ${counted(withoutReplyLink, 'version')} recorded by an earlier version`]
      : []),
    ...(withoutProperties > 0
      ? [
          `names of properties and groups in ${counted(withoutProperties, 'version')} that lost properties in a redaction`,
        ]
      : []),
    ...(unchainedAudit > 0 ? [`${counted(unchainedAudit, 'audit record')} stored by an earlier version`] : []),
    ...(isFillingFiles ? ['which files belong to which entries, while the job entry-files runs'] : []),
  ];
}
