import { counted } from '../kernel/text.js';
import { hashAuditRow } from '../ledger/audit-chain.js';
import { noHash } from '../ledger/ledger-record.js';
import { columnReader, getTable, type Row } from './backup-tables.js';
import { notice, type OnFinding, problem } from './data-finding.js';

const advice =
  'The audit log was changed without the service. Compare it with the audit log in a backup, and with the log of the service, which has the same lines.';
const earlyAdvice =
  'The service removes records that are older than auditRetention. Unless that setting was raised since, someone removed them without the service.';
/** Maximum number of defects that are named; further ones are counted. */
const maxNamed = 20;

interface AuditCheckOptions {
  /** The name of the engine that stored the documents. */
  readonly engine: string;
  /** Time for which audit records are kept; undefined: it is not known. */
  readonly auditRetentionMs?: number | undefined;
}

/** Checks the chain of the audit log against its hashes and the ledger. */
export class AuditRowsCheck {
  readonly tables = new Map<string, (row: Row) => void>();
  /** Number of records without a hash, stored by an earlier version of the program. */
  unchained = 0;
  private readonly ends = new Map<string, { readonly id: number; readonly hash: string }>();
  /** The hashes that the ledger names. */
  private readonly entered = new Map<number, string>();
  /** Last time at which the ledger entered an audit record that is older than the newest removed one. */
  private enteredBeforeMs = 0;
  private previous: string | undefined;
  private lastId = 0;
  /** Records without a hash after the first one with a hash. */
  private unchainedLater = 0;
  private problems = 0;

  constructor(
    private readonly options: AuditCheckOptions,
    private readonly onFinding: OnFinding,
  ) {
    this.tables.set('audit_chain', ([part, id, hash]) =>
      this.ends.set(String(part), { id: Number(id), hash: String(hash) }),
    );
    this.tables.set('audit', this.rowCheck());
  }

  /** Adds an audit record that the ledger names. All of them must be added before the audit log. */
  addEntered(id: number, hash: string, atMs: number): void {
    if (id < this.base.id) this.enteredBeforeMs = Math.max(this.enteredBeforeMs, atMs);
    const former = this.entered.get(id);
    if (former !== undefined && former !== shorten(hash)) {
      this.report(`audit ${id}`, 'the ledger names it twice, with different hashes');
    } else if (id > this.base.id) this.entered.set(id, shorten(hash));
    else if (id === this.base.id && hash !== this.base.hash) {
      this.report(`audit ${id}`, 'it was removed because of its age, and its hash is not that in the ledger');
    }
  }

  /** @param firstMs time of the first record of the ledger; undefined: there is none */
  finish(firstMs: number | undefined): void {
    this.checkRemoved(Math.max(this.enteredBeforeMs, firstMs ?? 0));
    for (const id of this.entered.keys()) this.report(`audit ${id}`, 'the ledger names it, and it is not stored');
    const head = this.ends.get('head') ?? { id: 0, hash: noHash };
    const last = this.lastId > 0 ? this.lastId : this.base.id;
    if (head.id !== last || head.hash !== (this.previous ?? this.base.hash)) {
      this.report('the audit log', `its newest record is ${last}, and ${head.id} was stored as the newest`);
    }
    if (this.unchainedLater > 0 && this.options.engine !== 'sqlite') {
      const what = `${counted(this.unchainedLater, 'record')} without a hash ${this.unchainedLater === 1 ? 'follows' : 'follow'} records that have one`;
      this.onFinding(notice('the audit log', what, 'A node of an earlier version of the program stores such records.'));
    }
    const more = this.problems - maxNamed;
    if (more > 0)
      this.onFinding(
        problem(
          'the audit log',
          `${counted(more, 'more record')} ${more === 1 ? 'does' : 'do'} not match the chain`,
          advice,
        ),
      );
  }

  /** @param sinceMs time after which the newest removed record was stored */
  private checkRemoved(sinceMs: number): void {
    const { auditRetentionMs } = this.options;
    if (this.base.id === 0 || auditRetentionMs === undefined || sinceMs <= Date.now() - auditRetentionMs) return;
    const since = new Date(sinceMs).toISOString();
    const what = `the records up to ${this.base.id} were removed as expired, although the newest of them was stored after ${since}`;
    this.onFinding(notice('the audit log', what, earlyAdvice));
  }

  private get base() {
    return this.ends.get('base') ?? { id: 0, hash: noHash };
  }

  private rowCheck(): (row: Row) => void {
    const names = ['id', 'at_ms', 'user_name', 'action', 'outcome', 'document', 'hash'];
    const readers = names.map((name) => columnReader(getTable('audit'), name));
    return (row) => {
      const [id, atMs, userName, action, outcome, document, hash] = readers.map((read) => read(row));
      if (hash === null || hash === undefined) return this.addUnchained(Number(id));
      const previous = this.previous ?? this.base.hash;
      const content = { userName: String(userName), action: String(action), outcome: String(outcome) };
      const chained = { id: Number(id), atMs: Number(atMs), ...content, document: String(document) };
      if (hashAuditRow(previous, chained) !== hash || chained.id <= this.base.id) {
        this.report(
          `audit ${id}`,
          'it does not follow the record before it: one of them was changed, added or removed',
        );
      }
      this.compareEntered(chained.id, String(hash));
      this.previous = String(hash);
      this.lastId = chained.id;
    };
  }

  private addUnchained(id: number): void {
    if (this.previous === undefined && this.base.id === 0) this.unchained += 1;
    else if (this.options.engine === 'sqlite')
      this.report(`audit ${id}`, 'it has no hash, although earlier records have');
    else this.unchainedLater += 1;
  }

  private compareEntered(id: number, hash: string): void {
    const entered = this.entered.get(id);
    if (entered === undefined) return;
    this.entered.delete(id);
    if (entered !== shorten(hash)) this.report(`audit ${id}`, 'its hash is not that in the ledger');
  }

  private report(subject: string, what: string): void {
    this.problems += 1;
    if (this.problems <= maxNamed) this.onFinding(problem(subject, what, advice));
  }
}

/** Shortens a hash to 160 bits in one-byte characters, which take less than half of the memory. */
const shorten = (hash: string): string => Buffer.from(hash.slice(0, 40), 'hex').toString('latin1');
