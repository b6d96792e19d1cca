import type { LeaseCheck } from '../../kernel/lease.port.js';
import type { Commit } from '../../kernel/unit-of-work.js';
import type { Committed, Transaction } from '../storage.port.js';
import { type Connection, type Statements, transactionEnded } from './database/connection.js';
import type { EntryIds } from './entry-ids.js';
import { tokenReader, tokenStore } from './tables/api-tokens.js';
import { attachmentReader, attachmentStore } from './tables/attachments.js';
import { auditReader, auditStore } from './tables/audit.js';
import { catalogReader, catalogStore } from './tables/catalog.js';
import { changeFeed, changeFeedReader } from './tables/changes.js';
import { clockReader, clockStore } from './tables/clock.js';
import { draftReader, draftStore } from './tables/drafts.js';
import { entryReader, entryStore } from './tables/entries.js';
import { entryWriteReader } from './tables/entry-writes.js';
import { fillChecksums } from './tables/fill-checksums.js';
import { fillEntryFiles } from './tables/fill-entry-files.js';
import { importReader, importStore } from './tables/imports.js';
import { ledgerReader, ledgerStore } from './tables/ledger.js';
import { preferenceReader, preferenceStore } from './tables/preferences.js';
import { redactionReader, redactionStore } from './tables/redactions.js';
import { repeatReader, repeatStore } from './tables/repeats.js';
import { rowVerificationReader, rowVerificationStore } from './tables/row-verification.js';
import { sessionReader, sessionStore } from './tables/sessions.js';
import { subscriberReader, subscriberStore } from './tables/subscribers.js';
import { templateReader, templateStore } from './tables/templates.js';

/** The stores that one write may use. Once it has ended, all of them throw, also those taken from it before. */
export class SqliteTransaction implements Transaction {
  /** Changes that the write has made so far. */
  readonly changed: { -readonly [K in keyof Commit]: Commit[K] } = {
    entries: false,
    feed: false,
    files: false,
    catalog: false,
  };
  private readonly statements: Statements;
  private isOver = false;

  constructor(
    connection: Connection,
    private readonly ids: EntryIds,
    private readonly leaseCheck: LeaseCheck,
  ) {
    this.statements = connection.while(() => !this.isOver);
  }

  get entries() {
    return entryStore(this.statements, this.changed, this.ids);
  }

  get attachments() {
    return attachmentStore(this.statements, this.changed);
  }

  get catalog() {
    return catalogStore(this.statements, this.changed);
  }

  get templates() {
    return templateStore(this.statements, this.changed);
  }

  get drafts() {
    return draftStore(this.statements);
  }

  get imports() {
    return importStore(this.statements);
  }

  get ledger() {
    return ledgerStore(this.statements);
  }

  get preferences() {
    return preferenceStore(this.statements);
  }

  get redactions() {
    return redactionStore(this.statements);
  }

  get repeats() {
    return repeatStore(this.statements);
  }

  get rowVerification() {
    return rowVerificationStore(this.statements);
  }

  get sessions() {
    return sessionStore(this.statements);
  }

  get tokens() {
    return tokenStore(this.statements);
  }

  get audit() {
    return auditStore(this.statements);
  }

  get clock() {
    return clockStore(this.statements);
  }

  get subscribers() {
    return subscriberStore(this.statements);
  }

  get feed() {
    return changeFeed(this.statements, this.changed);
  }

  get leases(): LeaseCheck {
    return {
      require: async (name, token) => {
        if (this.isOver) throw transactionEnded();
        await this.leaseCheck.require(name, token);
      },
    };
  }

  /** Records files of earlier entries; false when there are no more. */
  fillEntryFiles(): boolean {
    return fillEntryFiles(this.statements);
  }

  /** Gives earlier documents their checksums; false when there are no more. */
  fillChecksums(): boolean {
    return fillChecksums(this.statements);
  }

  end(): void {
    this.isOver = true;
  }
}

export function committedOn(connection: Connection): Committed {
  return {
    entries: entryReader(connection),
    attachments: attachmentReader(connection),
    catalog: catalogReader(connection),
    templates: templateReader(connection),
    drafts: draftReader(connection),
    imports: importReader(connection),
    ledger: ledgerReader(connection),
    preferences: preferenceReader(connection),
    redactions: redactionReader(connection),
    repeats: repeatReader(connection),
    rowVerification: rowVerificationReader(connection),
    sessions: sessionReader(connection),
    tokens: tokenReader(connection),
    audit: auditReader(connection),
    clock: clockReader(connection),
    subscribers: subscriberReader(connection),
    feed: changeFeedReader(connection),
    entryWrites: entryWriteReader(connection),
  };
}
