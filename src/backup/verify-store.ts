import { createHash, type KeyObject } from 'node:crypto';
import { counted } from '../kernel/text.js';
import type { KnownHead } from '../ledger/tree-check.js';
import { backupTables } from './backup-tables.js';
import { notice, type OnFinding, problem } from './data-finding.js';
import { DocumentCheck, type ReferencedFile } from './document-check.js';
import type { DocumentSnapshot } from './document-snapshot.port.js';
import type { FileReader } from './file-access.port.js';

/** Totals of the verification. */
export interface StoreSummary {
  readonly storeId: string;
  readonly entries: number;
  readonly files: number;
  readonly bytes: number;
  /** Checksums of files in quarantine to which something refers. */
  readonly quarantined: readonly string[];
  readonly checkpoints: CheckpointSummary;
  /** Changes that someone could make without a finding, each as a phrase. */
  readonly uncovered: readonly string[];
}

/** Numbers of the checkpoints with which the logbook was compared. */
export interface CheckpointSummary {
  readonly given: number;
  /** Number of checkpoints that the logbook itself stores. */
  readonly stored: number;
  /** Whether the signatures of the stored checkpoints were checked. */
  readonly areSignaturesChecked: boolean;
}

export interface VerifyDocumentsDeps {
  readonly snapshot: DocumentSnapshot;
  readonly signal: AbortSignal;
  /** Signed heads of the ledger. */
  readonly heads?: readonly KnownHead[] | undefined;
  /** Public keys, one of which must have signed each checkpoint in the logbook; empty: signatures are not checked. */
  readonly keys?: readonly KeyObject[] | undefined;
  /** Time for which audit records are kept; undefined: it is not known. */
  readonly auditRetentionMs?: number | undefined;
}

export interface VerifyStoreDeps extends VerifyDocumentsDeps {
  readonly files: FileReader;
  readonly onProgress?: ((done: number, all: number) => void) | undefined;
}

/** Maximum number of unreferenced files that are named. */
const maxNamed = 20;

/** Verifies the documents of a logbook at one moment, and the files to which they refer. Changes nothing. */
export async function verifyStore(deps: VerifyStoreDeps, onFinding: OnFinding): Promise<StoreSummary> {
  const { snapshot, files } = deps;
  // Lists files before reading documents, so that a file that a concurrent write adds does not count as unreferenced.
  const present = await listFiles(files, 'stored');
  const check = await verifyDocuments(deps, onFinding);
  const found = await verifyFiles(check.files, deps, onFinding);
  reportUnreferenced(present, check.files, files, onFinding);
  return {
    storeId: snapshot.storeId,
    entries: check.entryCount,
    ...found,
    checkpoints: summarize(check, deps.heads),
    uncovered: check.uncovered,
  };
}

/** Verifies the documents of a logbook and its ledger, without the content of files. Changes nothing. */
export async function verifyDocuments(
  { snapshot, signal, ...options }: VerifyDocumentsDeps,
  onFinding: OnFinding,
): Promise<DocumentCheck> {
  const { highestEntryId, engine } = snapshot;
  const check = new DocumentCheck({ highestEntryId, engine, ...options }, onFinding);
  for (const finding of await snapshot.checkSchema()) onFinding(finding);
  for (const table of backupTables) {
    for await (const rows of snapshot.rows(table)) {
      signal.throwIfAborted();
      check.add(table, rows);
    }
  }
  check.finish();
  return check;
}

/** @param heads the heads that the caller has given */
function summarize({ checkpoints }: DocumentCheck, heads: readonly KnownHead[] = []): CheckpointSummary {
  return { given: heads.length, stored: checkpoints.count, areSignaturesChecked: checkpoints.isWithKeys };
}

async function listFiles(files: FileReader, state: 'stored' | 'quarantined'): Promise<string[]> {
  const found: string[] = [];
  for await (const batch of files.list(state)) found.push(...batch);
  return found;
}

async function verifyFiles(
  referenced: ReadonlyMap<string, ReferencedFile>,
  { files, signal, onProgress }: VerifyStoreDeps,
  onFinding: OnFinding,
): Promise<Pick<StoreSummary, 'files' | 'bytes' | 'quarantined'>> {
  const quarantined: string[] = [];
  let [done, intact, bytes] = [0, 0, 0];
  for (const [checksum, { size, shownBy }] of referenced) {
    signal.throwIfAborted();
    const shows = shownBy === undefined ? '' : ` (${shownBy} shows it)`;
    const opened = await files.open(checksum);
    const subject = `${files.describe(checksum, opened?.state)}${shows}`;
    const advice = 'Restore the file from a backup to this path; all other data are unaffected.';
    if (!opened) onFinding(problem(subject, 'the file is missing', advice));
    else {
      const found = await digest(opened.content as AsyncIterable<Buffer>);
      if (found.checksum !== checksum) onFinding(problem(subject, describeDamage(found, size), advice));
      else intact += 1;
      bytes += found.size;
      if (opened.state === 'quarantined') {
        quarantined.push(checksum);
        const what = 'the file is in quarantine, although it is referred to';
        onFinding({
          ...notice(subject, what, 'It is found there, and the service or “verify --repair” moves it back.'),
          isRepairable: true,
        });
      }
    }
    done += 1;
    onProgress?.(done, referenced.size);
  }
  return { files: intact, bytes, quarantined };
}

async function digest(content: AsyncIterable<Buffer>): Promise<{ checksum: string; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { checksum: hash.digest('hex'), size };
}

function describeDamage(found: { readonly size: number }, size: number): string {
  if (size > 0 && found.size !== size) return `the file has ${counted(found.size, 'byte')} instead of ${size}`;
  return 'the content of the file does not match its SHA-256';
}

function reportUnreferenced(
  present: readonly string[],
  referenced: ReadonlyMap<string, ReferencedFile>,
  files: FileReader,
  onFinding: OnFinding,
): void {
  const unreferenced = present.filter((checksum) => !referenced.has(checksum));
  const advice = 'The service moves it to quarantine after 24 hours, and removes it 30 days later.';
  for (const checksum of unreferenced.slice(0, maxNamed)) {
    onFinding(notice(files.describe(checksum), 'no entry and no draft refers to this file', advice));
  }
  const more = unreferenced.length - maxNamed;
  if (more > 0) onFinding(notice(`${more} more files`, 'no entry and no draft refers to them', advice));
}
