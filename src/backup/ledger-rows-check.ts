import type { KeyObject } from 'node:crypto';
import { counted } from '../kernel/text.js';
import type { AcceptedLoss } from '../ledger/accepted-loss.js';
import { CheckpointCheck } from '../ledger/checkpoint-check.js';
import { LedgerCheck, redactionPrefix, unproven } from '../ledger/ledger-check.js';
import type { RecordKind } from '../ledger/ledger-record.js';
import type { Removal } from '../ledger/removal-check.js';
import type { KnownHead } from '../ledger/tree-check.js';
import { columnReader, getTable, type Row } from './backup-tables.js';
import { type DataFinding, notice, type OnFinding, problem } from './data-finding.js';

const advice =
  'Compare it with backups and with what users remember: it was changed without the service, or by a defect. See “Tamper evidence” in the documentation.';

/** Advice for an item that a node with an earlier version, which has no ledger, may have changed. */
const catalogueAdvice = `If someone changed it through a node of the earlier version during an upgrade of a cluster, check that it is right, and save it once more to record it. Otherwise: ${advice}`;

const checkpointAdvice = `${advice} If it is only lost, accept that with “checkpoint --accept-loss”.`;

interface Options {
  readonly engine: string;
  readonly heads?: readonly KnownHead[] | undefined;
  readonly keys?: readonly KeyObject[] | undefined;
}

export class LedgerRowsCheck {
  readonly tables = new Map<string, (row: Row) => void>();
  readonly checkpoints: CheckpointCheck;
  private readonly check: LedgerCheck;
  /** Id of the parent, by the id of the reply. */
  private readonly replies = new Map<number, number>();

  /** @param onAudit receives the number, hash and time of each audit record that the ledger names */
  constructor(
    private readonly options: Options,
    private readonly onFinding: OnFinding,
    onAudit: (id: number, hash: string, atMs: number) => void,
  ) {
    this.check = new LedgerCheck(
      options.heads ?? [],
      (subject, what, of) => onFinding(problem(subject, what, of === 'catalogue' ? catalogueAdvice : advice)),
      (number, what) => this.reportOtherRecords(number, what),
      onAudit,
    );
    this.checkpoints = new CheckpointCheck(options.keys ?? [], (number, what, accepted) =>
      onFinding(describeCheckpoint(number, what, accepted)),
    );
    const { check } = this;
    this.tables
      .set('catalog_item', ([kind, name, document]) => {
        this.checkKind(String(kind), String(name));
        check.addItem(`${kind}/${name}`, String(document));
      })
      .set('entry', this.versionsOf('entry'))
      .set('archived_entry', this.versionsOf('archived_entry'))
      .set('redaction', ([number, document]) => addRedaction(check, Number(number), String(document)))
      .set('ledger_checkpoint', ([number, document]) => this.addCheckpoint(Number(number), String(document)))
      .set('ledger_tile', ([level, position, lastSequence, hashes]) =>
        check.tree.addTile(Number(level), Number(position), {
          hashes: String(hashes),
          lastSequence: Number(lastSequence),
        }),
      )
      .set('ledger_record', (row) => check.addRecord(toRecord(row)));
  }

  /** Time of the first record, in milliseconds since the epoch; undefined: there is none. */
  get firstMs(): number | undefined {
    return this.check.firstMs;
  }

  /**
   * Number of versions whose digest does not cover the reply link, because an earlier program version recorded them.
   */
  get withoutReplyLink(): number {
    return this.check.withoutReplyLink;
  }

  /**
   * Checks the kind of an item. Names may contain a slash, so a kind with a slash could take the record of another
   * item.
   */
  private checkKind(kind: string, name: string): void {
    if (/^[a-z]+$/.test(kind) && !redactionPrefix.startsWith(kind)) return;
    this.onFinding(problem(`“${kind}/${name}”`, 'the catalogue has no items of this kind', advice));
  }

  /** Number of versions that lost their properties in a redaction. */
  get withoutProperties(): number {
    return this.check.removals.withoutProperties;
  }

  finish(): void {
    const { check, onFinding } = this;
    check.finish();
    this.checkpoints.finish();
    if (check.unproven > 0) onFinding(describeReplaced(check));
    this.reportUnrecorded();
  }

  private versionsOf(name: 'entry' | 'archived_entry'): (row: Row) => void {
    const columns = [name === 'entry' ? 'id' : 'entry_id', 'version', 'document', 'salts'];
    const readers = columns.map((column) => columnReader(getTable(name), column));
    const parent = name === 'entry' ? columnReader(getTable(name), 'in_reply_to') : () => null;
    return (row) => {
      const [id, version, document, salts] = readers.map((read) => read(row));
      const inReplyTo = parent(row);
      if (inReplyTo !== null) this.replies.set(Number(id), Number(inReplyTo));
      this.check.addVersion({
        id: Number(id),
        version: Number(version),
        document: String(document),
        salts: (salts ?? null) as string | null,
        inReplyTo: this.replies.get(Number(id)) ?? null,
      });
    };
  }

  /** @param what describes how the records differ from the stored checkpoint */
  private reportOtherRecords(number: number, what: string): void {
    if (!this.checkpoints.isSound(number)) this.checkpoints.report(number, what);
    else this.onFinding(problem(`the stored checkpoint ${number}`, what, advice));
  }

  private addCheckpoint(number: number, document: string): void {
    const checkpoint = this.checkpoints.add(number, document);
    if (checkpoint) this.check.tree.addHead({ ...checkpoint, name: `the stored checkpoint ${number}`, stored: number });
  }

  private reportUnrecorded(): void {
    const { isComplete, unrecorded, unrecordedNames } = this.check;
    // Nodes of an earlier version of the program may run at the same time, and what they store is recorded later.
    const isFinal = { version: isComplete && this.options.engine === 'sqlite', item: isComplete };
    for (const kind of ['version', 'item'] as const) {
      if (unrecorded[kind] === 0) continue;
      if (!isFinal[kind]) {
        const are = unrecorded[kind] === 1 ? ['was', 'is'] : ['were', 'are'];
        const what = `${counted(unrecorded[kind], kind)} ${are[0]} stored by an earlier version of the program and ${are[1]} not recorded yet`;
        this.onFinding(notice('the ledger', what, 'The service records them while it runs.'));
        continue;
      }
      const named = unrecordedNames.filter((one) => one.kind === kind);
      const more = unrecorded[kind] - named.length;
      const subjects = [...named.map(({ subject }) => subject), ...(more > 0 ? [`${more} more ${kind}s`] : [])];
      for (const subject of subjects) {
        this.onFinding(
          problem(subject, 'no record of it is in the ledger', kind === 'item' ? catalogueAdvice : advice),
        );
      }
    }
  }
}

function describeReplaced(check: LedgerCheck) {
  const what = `${counted(check.unproven, 'version')} ${check.unproven === 1 ? 'was' : 'were'} replaced, and ${unproven}: ${check.replaced.join(', ')}`;
  return notice(
    'the ledger',
    what,
    'An upgrade of a cluster leaves such versions; at any other time, it is tampering.',
  );
}

function describeCheckpoint(stored: number, what: string, accepted: AcceptedLoss | undefined): DataFinding {
  const subject = `the stored checkpoint ${stored}`;
  if (!accepted) return { ...problem(subject, what, checkpointAdvice), isAcceptable: true };
  const { atMs, by = 'An administrator', reason, checkpoints } = accepted;
  const was = checkpoints.find(({ number }) => number === stored)?.what;
  const then = was === undefined || was === what ? '' : ` Then: ${was}.`;
  return notice(subject, what, `${by} accepted it at ${new Date(atMs).toISOString()}: “${reason}”.${then}`);
}

function addRedaction(check: LedgerCheck, number: number, document: string): void {
  check.addItem(`${redactionPrefix}${number}`, document);
  try {
    check.addRedaction(JSON.parse(document) as Removal);
  } catch {
    // The check of its checksum reports it.
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
