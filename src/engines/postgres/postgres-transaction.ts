import type { LeaseCheck } from '../../kernel/lease.port.js';
import type { Commit } from '../../kernel/unit-of-work.js';
import type { Committed, Transaction } from '../storage.port.js';
import type { Statements } from './database/statements.js';
import { tokenReader, tokenStore } from './tables/api-tokens.js';
import { attachmentReader, attachmentStore } from './tables/attachments.js';
import { auditReader, auditStore } from './tables/audit.js';
import { type CatalogScope, catalogReader, catalogStore } from './tables/catalog.js';
import { changeFeed, changeFeedReader, type FeedScope } from './tables/changes.js';
import { clockReader, clockStore } from './tables/clock.js';
import { draftReader, draftStore } from './tables/drafts.js';
import { type EntryScope, entryReader, entryStore } from './tables/entries.js';
import { entryWriteReader } from './tables/entry-writes.js';
import { importReader, importStore } from './tables/imports.js';
import { leaseCheck } from './tables/leases.js';
import { ledgerReader, ledgerStore } from './tables/ledger.js';
import { preferenceReader, preferenceStore } from './tables/preferences.js';
import { redactionReader, redactionStore } from './tables/redactions.js';
import { repeatReader, repeatStore } from './tables/repeats.js';
import { rowVerificationReader, rowVerificationStore } from './tables/row-verification.js';
import { sessionReader, sessionStore } from './tables/sessions.js';
import { subscriberReader, subscriberStore } from './tables/subscribers.js';
import { templateReader, templateStore } from './tables/templates.js';

/** The stores that one write may use. Once it has ended, all of them throw, also those taken from it before. */
export class PostgresTransaction implements Transaction {
  /** Changes that the write has made so far. */
  readonly changed: { -readonly [K in keyof Commit]: Commit[K] } = {
    entries: false,
    feed: false,
    files: false,
    catalog: false,
  };

  /** @param statements throw when the write has ended */
  constructor(
    private readonly statements: Statements,
    private readonly scope: FeedScope & EntryScope & CatalogScope,
  ) {}

  get entries() {
    return entryStore(this.statements, this.changed, this.scope);
  }

  get attachments() {
    return attachmentStore(this.statements, this.changed, this.scope.incarnation);
  }

  get catalog() {
    return catalogStore(this.statements, this.changed, this.scope);
  }

  get templates() {
    return templateStore(this.statements, this.changed, this.scope);
  }

  get drafts() {
    return draftStore(this.statements);
  }

  get imports() {
    return importStore(this.statements);
  }

  get ledger() {
    return ledgerStore(this.statements, this.scope);
  }

  get preferences() {
    return preferenceStore(this.statements);
  }

  get redactions() {
    return redactionStore(this.statements, this.scope);
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
    return auditStore(this.statements, this.scope);
  }

  get clock() {
    return clockStore(this.statements);
  }

  get subscribers() {
    return subscriberStore(this.statements);
  }

  get feed() {
    return changeFeed(this.statements, this.changed, this.scope);
  }

  get leases(): LeaseCheck {
    return leaseCheck(this.statements);
  }
}

export function committedOn(statements: Statements): Committed {
  return {
    entries: entryReader(statements),
    attachments: attachmentReader(statements),
    catalog: catalogReader(statements),
    templates: templateReader(statements),
    drafts: draftReader(statements),
    imports: importReader(statements),
    ledger: ledgerReader(statements),
    preferences: preferenceReader(statements),
    redactions: redactionReader(statements),
    repeats: repeatReader(statements),
    rowVerification: rowVerificationReader(statements),
    sessions: sessionReader(statements),
    tokens: tokenReader(statements),
    audit: auditReader(statements),
    clock: clockReader(statements),
    subscribers: subscriberReader(statements),
    feed: changeFeedReader(statements),
    entryWrites: entryWriteReader(statements),
  };
}
