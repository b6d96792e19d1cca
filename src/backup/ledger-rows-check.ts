import { LedgerCheck, redactionPrefix, unproven } from '../ledger/ledger-check.js';
import type { RecordKind } from '../ledger/ledger-record.js';
import type { Removal } from '../ledger/removal-check.js';
import type { KnownHead } from '../ledger/tree-check.js';
import { columnReader, getTable, type Row } from './backup-tables.js';
import { notice, type OnFinding, problem } from './data-finding.js';

const advice =
  'Compare it with backups and with what users remember: it was changed without the service, or by a defect. See “Tamper evidence” in the documentation.';

/** A node without a ledger records no change of the catalogue. */
const catalogueAdvice = `If someone changed it during an upgrade of a cluster, by a node of the earlier version, see that it is right and save it once more: that records it. Otherwise: ${advice}`;

/** Checks the ledger in the rows of a logbook; returns what takes the rows of each table. */
export function checkLedgerRows(
  heads: readonly KnownHead[],
  onFinding: OnFinding,
): { readonly tables: ReadonlyMap<string, (row: Row) => void>; readonly finish: () => void } {
  const check = new LedgerCheck(heads, (subject, what, of) =>
    onFinding(problem(subject, what, of === 'catalogue' ? catalogueAdvice : advice)),
  );
  const readers = (name: string, columns: readonly string[]) =>
    columns.map((column) => columnReader(getTable(name), column)) as ((row: Row) => string | number | null)[];
  const versionsOf = (name: 'entry' | 'archived_entry') => {
    const [id, version, document, salts] = readers(name, [
      name === 'entry' ? 'id' : 'entry_id',
      'version',
      'document',
      'salts',
    ]);
    return (row: Row) =>
      check.addVersion({
        id: Number(id?.(row)),
        version: Number(version?.(row)),
        document: String(document?.(row)),
        salts: (salts?.(row) ?? null) as string | null,
      });
  };
  const tables = new Map<string, (row: Row) => void>([
    ['catalog_item', ([kind, name, document]) => check.addItem(`${kind}/${name}`, String(document))],
    ['entry', versionsOf('entry')],
    ['archived_entry', versionsOf('archived_entry')],
    ['redaction', ([number, document]) => addRedaction(check, Number(number), String(document))],
    [
      'ledger_tile',
      ([level, position, lastSequence, hashes]) =>
        check.tree.addTile(Number(level), Number(position), {
          hashes: String(hashes),
          lastSequence: Number(lastSequence),
        }),
    ],
    ['ledger_record', (row) => check.addRecord(toRecord(row))],
  ]);
  return {
    tables,
    finish() {
      check.finish();
      if (check.unproven > 0) onFinding(describeReplaced(check));
      if (check.unrecorded === 0) return;
      const what = `${check.unrecorded} versions or items were stored by an earlier version of the program and are not recorded yet`;
      onFinding(notice('the ledger', what, 'The service records them while it runs.'));
    },
  };
}

function describeReplaced(check: LedgerCheck) {
  const what = `${check.unproven} versions were replaced, and ${unproven}: ${check.replaced.join(', ')}`;
  return notice(
    'the ledger',
    what,
    'An upgrade of a cluster leaves such versions; at any other time, it is tampering.',
  );
}

function addRedaction(check: LedgerCheck, number: number, document: string): void {
  check.addItem(`${redactionPrefix}${number}`, document);
  try {
    check.addRedaction(JSON.parse(document) as Removal);
  } catch {
    // Reported by its checksum.
  }
}

function toRecord([sequence, kind, entryId, version, subject, atMs, digest]: Row) {
  return {
    sequence: Number(sequence),
    kind: String(kind) as RecordKind,
    entryId: Number(entryId),
    version: Number(version),
    subject: String(subject),
    atMs: Number(atMs),
    digest: String(digest),
  };
}
