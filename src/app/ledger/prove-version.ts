import { columnReader, getTable, type Row } from '../../backup/backup-tables.js';
import type { DocumentSnapshot } from '../../backup/document-snapshot.port.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import type { Log } from '../../kernel/log.js';
import { counted } from '../../kernel/text.js';
import type { Checkpoint } from '../../ledger/checkpoint.js';
import type { DigestibleEntry } from '../../ledger/entry-fields.js';
import {
  type EnteredRecord,
  type EntryProof,
  listEntryRecords,
  proveEntry,
  readHead,
} from '../../ledger/entry-proof.js';
import { openSnapshot } from '../backup/open-logbook-data.js';
import { CleanupStack } from '../cleanup-stack.js';

export interface ProofRequest {
  readonly id: number;
  /** Number of the version, as shown in the entry; undefined for the current one. */
  readonly version: number | undefined;
  /** The checkpoint that proves it, with its text; undefined: the current unsigned head. */
  readonly checkpoint: { readonly text: string; readonly content: Checkpoint } | undefined;
}

/**
 * Builds the proof of a version of an entry, even while the service runs.
 * @throws Error that explains why there is no proof
 */
export async function proveVersion(storage: StorageOptions, request: ProofRequest, log: Log): Promise<EntryProof> {
  const cleanup = new CleanupStack();
  const proof = await cleanup.guard(() =>
    openSnapshot(storage, log).then((found) => prove(cleanup.use(found), request)),
  );
  await cleanup.close();
  return proof;
}

async function prove(snapshot: DocumentSnapshot, { id, version, checkpoint }: ProofRequest): Promise<EntryProof> {
  const { ledger, storeId } = snapshot;
  if (checkpoint && checkpoint.content.storeId !== storeId) {
    throw new Error(
      `The checkpoint belongs to the logbook ${checkpoint.content.storeId}, but this is the logbook ${storeId}.`,
    );
  }
  const versions = await listVersions(snapshot, id);
  if (versions.length === 0) throw new Error(`The ledger has no record of an entry ${id}.`);
  const highest = versions.at(-1)?.shown ?? 0;
  const found = version === undefined ? versions.at(-1) : versions.find(({ shown }) => shown === version);
  if (!found) {
    throw new Error(
      version !== undefined && version <= highest
        ? `Version ${version} of entry ${id} is not stored: verify the logbook.`
        : `Entry ${id} has ${counted(highest, 'version')}, and no version ${version}.`,
    );
  }
  const head = checkpoint?.content ?? (await readHead(ledger));
  if (!head || found.entered.number >= head.size) {
    const which = checkpoint ? 'this checkpoint was made' : 'the records were last entered into the ledger';
    throw new Error(`This version was stored after ${which}. Make a new checkpoint, and use that.`);
  }
  const proof = await proveEntry(ledger, found.entered, found, head.size);
  if (proof.root !== head.root) {
    throw new Error('The ledger does not contain the records that the checkpoint covers: verify the logbook.');
  }
  return { ...proof, checkpoint: checkpoint?.text ?? null };
}

interface RecordedVersion {
  /** Number of the version, as shown in the entry. */
  readonly shown: number;
  readonly entered: EnteredRecord;
  readonly entry: DigestibleEntry;
  readonly salts: string;
  readonly inReplyTo: number | null;
}

/** Lists the stored versions of an entry, oldest first. */
async function listVersions(snapshot: DocumentSnapshot, id: number): Promise<RecordedVersion[]> {
  const [current, archive] = [getTable('entry'), getTable('archived_entry')];
  const row = await snapshot.find(current, [id]);
  const parent = row ? columnReader(current, 'in_reply_to')(row) : null;
  const inReplyTo = parent === null ? null : Number(parent);
  const versions: RecordedVersion[] = [];
  for (const entered of await listEntryRecords(snapshot.ledger, id)) {
    const { version } = entered.record;
    const isCurrent = row !== undefined && columnReader(current, 'version')(row) === version;
    const stored = isCurrent ? row : await snapshot.find(archive, [id, version]);
    if (!stored) continue;
    const { entry, salts } = read(isCurrent ? 'entry' : 'archived_entry', stored);
    versions.push({ shown: entry.version ?? versions.length + 1, entered, inReplyTo, entry, salts });
  }
  return versions;
}

/** Returns the stored version of an entry. It may have no number if an earlier release of the program stored it. */
function read(name: string, row: Row): { entry: DigestibleEntry & { readonly version?: number }; salts: string } {
  const table = getTable(name);
  return {
    entry: JSON.parse(String(columnReader(table, 'document')(row))) as DigestibleEntry & { readonly version?: number },
    salts: String(columnReader(table, 'salts')(row)),
  };
}
