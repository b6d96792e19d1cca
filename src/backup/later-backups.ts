import { getManifest, listBackups } from './backup-list.js';
import { columnReader, getTable } from './backup-tables.js';
import type { BackupTarget } from './backup-target.port.js';
import { type BackupTrust, findDistrust, isTrusted } from './backup-trust.js';
import { type DataFinding, problem } from './data-finding.js';
import { compareBackups, DamagedManifest, type Manifest, type ReadManifest } from './manifest.js';
import type { BackupHeader } from './manifest-line.js';
import { columnMapper, readTablePiece } from './read-table-piece.js';
import type { TablePiece } from './table-piece-writer.js';

/** Facts about the time after a backup, from newer backups in the same target. */
export interface LaterKnowledge {
  readonly headers: readonly BackupHeader[];
  /** Documents of all redactions in the newer backups, oldest first, including those in the backup itself. */
  readonly redactions: readonly string[];
  /** Findings about newer backups whose redactions are unknown. */
  readonly findings: readonly DataFinding[];
}

/**
 * Reads the facts in the newer backups of the target. A backup that is damaged, of another logbook or not trusted is
 * omitted and reported, because forged redactions in it would remove content.
 */
export async function readLater(
  target: BackupTarget,
  { header }: Manifest,
  trust: BackupTrust,
): Promise<LaterKnowledge> {
  const [headers, findings]: [BackupHeader[], DataFinding[]] = [[], []];
  const pieces = new Map<string, { readonly piece: TablePiece; readonly columns: readonly string[] | undefined }>();
  for (const name of (await listBackups(target)).filter((one) => compareBackups(one, header.name) > 0)) {
    try {
      const manifest = await getManifest(target, trust.keys, name);
      const defect = findDefect(manifest, header.storeId, trust);
      if (defect !== undefined) {
        findings.push(unknownRedactions(`the backup ${name}`, defect));
        continue;
      }
      headers.push(manifest.header);
      for (const piece of manifest.pieces) {
        if (piece.table === 'redaction')
          pieces.set(piece.checksum, { piece, columns: manifest.header.tables.redaction });
      }
    } catch (error) {
      if (!(error instanceof DamagedManifest)) throw error;
      findings.push(unknownRedactions(`the backup ${name}`, error.message));
    }
  }
  const redactions = new Set<string>();
  for (const { piece, columns } of pieces.values()) {
    const found = await readRedactions(target, piece, columns);
    // The signature covers only the whole piece, so the rows of a damaged piece are not signed.
    if (found.isIntact || trust.acceptUnsigned) for (const redaction of found.redactions) redactions.add(redaction);
    if (!found.isIntact) findings.push(unknownRedactions(target.describe('pool', piece.checksum), 'it is damaged'));
  }
  return { headers, redactions: [...redactions], findings };
}

function findDefect(manifest: ReadManifest, storeId: string, trust: BackupTrust): string | undefined {
  if (!isTrusted(manifest, trust)) return findDistrust(manifest, trust)?.what;
  const { storeId: found } = manifest.header;
  return found === storeId ? undefined : `it belongs to another logbook, ${found}`;
}

async function readRedactions(target: BackupTarget, piece: TablePiece, columns: readonly string[] | undefined) {
  const table = getTable('redaction');
  const toColumns = columnMapper(columns ?? table.columns, table.columns);
  const document = columnReader(table, 'document');
  const found = await readTablePiece(target, piece);
  return {
    redactions: found?.rows.map((row) => String(document(toColumns(row)))) ?? [],
    isIntact: found?.isIntact === true,
  };
}

const unknownRedactions = (subject: string, what: string): DataFinding =>
  problem(
    subject,
    `${what}: content that was redacted after the restored backup may be visible again`,
    'Ask the administrators, and redact it again.',
  );
