import { getManifest, listBackups } from './backup-list.js';
import type { BackupPlace } from './backup-place.port.js';
import { columnReader, getTable } from './backup-tables.js';
import { type DataFinding, problem } from './data-finding.js';
import { compareBackups, DamagedManifest, type Manifest } from './manifest.js';
import type { Piece } from './piece-writer.js';
import { columnMapper, readPiece } from './read-piece.js';

/** What the newer backups in a place know of the time after a backup. */
export interface LaterKnowledge {
  readonly manifests: readonly Manifest[];
  /** The documents of all redactions in them, oldest first; those that the backup has itself are among them. */
  readonly redactions: readonly string[];
  /** The backups whose redactions are not known. */
  readonly findings: readonly DataFinding[];
}

/** Reads what the newer backups in the place know. A damaged one is left out, and in the findings. */
export async function readLater(place: BackupPlace, { header }: Manifest): Promise<LaterKnowledge> {
  const [manifests, findings]: [Manifest[], DataFinding[]] = [[], []];
  const pieces = new Map<string, { readonly piece: Piece; readonly manifest: Manifest }>();
  for (const name of (await listBackups(place)).filter((one) => compareBackups(one, header.name) > 0)) {
    try {
      const manifest = await getManifest(place, name);
      manifests.push(manifest);
      for (const piece of manifest.pieces) {
        if (piece.table === 'redaction') pieces.set(piece.checksum, { piece, manifest });
      }
    } catch (error) {
      if (!(error instanceof DamagedManifest)) throw error;
      findings.push(unknownRedactions(`the backup ${name}`, error.message));
    }
  }
  const redactions = new Set<string>();
  for (const { piece, manifest } of pieces.values()) {
    const found = await readRedactions(place, piece, manifest);
    for (const redaction of found.redactions) redactions.add(redaction);
    if (!found.isIntact) findings.push(unknownRedactions(place.describe('pool', piece.checksum), 'it is damaged'));
  }
  return { manifests, redactions: [...redactions], findings };
}

async function readRedactions(place: BackupPlace, piece: Piece, { header }: Manifest) {
  const table = getTable('redaction');
  const toColumns = columnMapper(header.tables.redaction ?? table.columns, table.columns);
  const document = columnReader(table, 'document');
  const found = await readPiece(place, piece);
  return {
    redactions: found?.rows.map((row) => String(document(toColumns(row)))) ?? [],
    isIntact: found?.isIntact === true,
  };
}

const unknownRedactions = (subject: string, what: string): DataFinding =>
  problem(
    subject,
    `${what}: what was redacted after the restored backup may be back`,
    'Ask the administrators, and redact it again.',
  );
