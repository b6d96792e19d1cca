import { Readable } from 'node:stream';
import { type Upload, withStoredBlobs } from '../attachments/attach-uploads.js';
import type { Attachment } from '../attachments/attachment.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import type { Principal } from '../auth/principal.js';
import type { Clock } from '../kernel/clock.js';
import { Fault, quoted } from '../kernel/fault.js';
import { nextRound } from '../kernel/time-slice.js';
import { removeSalts } from '../ledger/entry-digest.js';
import { describeRemoval, tombstoneName, tombstoneText } from '../ledger/removal-check.js';
import type { Entry } from './entry.js';
import type { EntryStorage, EntryTransaction } from './entry-storage.js';
import type { GrowingRuns } from './growing-runs.js';
import { isPartAt, type NewRedaction, type RedactedParts, type StoredRedaction, withoutParts } from './redaction.js';
import { entryNotFound } from './update-entry.js';

export interface RedactEntry {
  readonly entryId: number;
  readonly parts: RedactedParts;
  readonly reason: string;
  readonly by: Principal;
}

export interface RedactionDeps {
  readonly storage: EntryStorage;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/** Maximum number of entries that may show one of the files. */
const maxEntries = 100;
const maxReasonLength = 500;

export interface RedactionOutcome {
  /** Redactions of the entry, and of all others that show one of the files. */
  readonly redactions: readonly StoredRedaction[];
  /** Entries that show the content of a removed file under another attachment: nothing was removed from them. */
  readonly sameContent: readonly number[];
}

/**
 * Removes parts of an entry from all of its versions, permanently, and replaces them with a sentence that says who
 * removed them, when and why. The digests of the removed parts stay, so that the ledger still proves the rest. The job
 * `redacted-files` removes files that no attachment refers to, and indexes are rebuilt.
 * @throws Fault invalid `entry.bad-redaction`; missing `entry.not-found`, `attachment.not-found`
 */
export async function redactEntry(
  deps: RedactionDeps & { readonly growingRuns: GrowingRuns },
  request: RedactEntry,
): Promise<RedactionOutcome> {
  check(request);
  const { parts, by, reason, entryId } = request;
  const redaction = { entryId, parts, by: by.userName, reason: reason.trim(), atMs: deps.clock.nowMs() };
  const outcome = await applyRedaction(deps, redaction);
  for (const one of outcome.redactions) deps.growingRuns.forget(one.entryId);
  return outcome;
}

/**
 * Redacts as `redactEntry` does, with the user name and the time that the redaction states.
 * @throws Fault invalid `entry.bad-redaction`; missing `entry.not-found`, `attachment.not-found`
 */
export async function applyRedaction(deps: RedactionDeps, redaction: NewRedaction): Promise<RedactionOutcome> {
  const { entryId, parts } = redaction;
  const sentence = describeRemoval(redaction);
  const changedMs = deps.clock.nowMs();
  const upload = parts.attachments.length === 0 ? undefined : await stageTombstone(deps.blobs, sentence);
  return withStoredBlobs(deps, upload ? [upload] : [], () =>
    deps.storage.write(async (tx) => {
      if (!(await tx.entries.find(entryId))) throw entryNotFound(entryId);
      const files = await findFiles(tx, redaction);
      const tombstones = new Map(files.map(({ id }) => [id, tombstoneOf(id, upload)]));
      const redactions: StoredRedaction[] = [];
      for (const id of await listEntries(tx, entryId, files)) {
        const ofEntry = id === entryId ? parts : { ...nothing, attachments: parts.attachments };
        const one = { ...redaction, entryId: id, parts: ofEntry };
        redactions.push(await redactOne(tx, one, { sentence, tombstones, changedMs }));
      }
      await removeFingerprints(
        tx,
        redactions.map((one) => one.entryId),
      );
      for (const tombstone of tombstones.values()) await tx.redactions.replaceFile(tombstone);
      return { redactions, sameContent: await forgetFiles(tx, files) };
    }),
  );
}

const nothing: RedactedParts = { title: false, text: false, properties: false, attachments: [] };

function check({ reason, parts: { title, text, properties, attachments } }: RedactEntry): void {
  const bad = (what: string) => new Fault('invalid', 'entry.bad-redaction', what);
  if (reason.trim() === '') throw bad('A redaction needs a reason, which is shown in place of the content.');
  if (reason.length > maxReasonLength)
    throw bad(`The reason is ${reason.length} characters long. Use at most ${maxReasonLength}.`);
  if (title || text || properties || attachments.length > 0) return;
  throw bad('Name what is to be removed: title, text, properties, or the ids of attachments.');
}

async function stageTombstone(blobs: BlobStore, sentence: string): Promise<Upload> {
  const content = Buffer.from(tombstoneText(sentence));
  const blob = await blobs.stage(Readable.from([content]), content.length);
  return { filename: tombstoneName, contentType: 'text/plain', blob };
}

function tombstoneOf(id: string, upload: Upload | undefined): Attachment {
  if (!upload) throw new Error('no file replaces the attachment');
  const { filename, contentType, blob } = upload;
  return { id, filename, fileMetadataDescription: contentType, size: blob.size, contentType, checksum: blob.checksum };
}

/** @throws Fault missing `attachment.not-found` when no version of the entry shows one of them */
async function findFiles(tx: EntryTransaction, { entryId, parts }: NewRedaction): Promise<Attachment[]> {
  const files: Attachment[] = [];
  for (const id of parts.attachments) {
    const file = await tx.attachments.find(id);
    let isShown = false;
    for await (const showing of tx.attachments.listShowing(id)) isShown ||= showing.entryId === entryId;
    if (!file || !isShown) {
      throw new Fault('missing', 'attachment.not-found', `Entry ${entryId} has no attachment ${quoted(id)}.`);
    }
    files.push(file);
  }
  return files;
}

/** Lists the entry, and the others that show one of the files. */
async function listEntries(tx: EntryTransaction, entryId: number, files: readonly Attachment[]): Promise<number[]> {
  const ids = new Set([entryId]);
  for (const { id } of files) {
    for await (const showing of tx.attachments.listShowing(id)) ids.add(showing.entryId);
  }
  if (ids.size <= maxEntries) return [...ids];
  throw new Fault(
    'invalid',
    'entry.bad-redaction',
    `More than ${maxEntries} entries show this file. Redact the file in some of them first.`,
  );
}

/** Replacement of the removed content. */
interface Replacement {
  readonly sentence: string;
  readonly tombstones: ReadonlyMap<string, Attachment>;
  /** Time of the change for readers, in milliseconds since the epoch. */
  readonly changedMs: number;
}

async function redactOne(
  tx: EntryTransaction,
  redaction: NewRedaction,
  { sentence, tombstones, changedMs }: Replacement,
): Promise<StoredRedaction> {
  const { entryId, parts, by, atMs } = redaction;
  const current = await tx.entries.find(entryId);
  if (!current) throw entryNotFound(entryId);
  const without = (entry: Entry) => withoutParts(entry, parts, sentence, tombstones);
  const edited = await tx.entries.edit({ ...without(current.entry), modifyDate: atMs, modifiedBy: by });
  const versions: number[] = [];
  for await (const archived of tx.redactions.listVersions(entryId)) {
    const { revision, entry } = archived;
    const salts =
      archived.salts === '' ? '' : removeSalts(entry, archived.salts, (place) => isPartAt(entry, parts, place));
    await tx.redactions.replaceVersion({ revision, entry: without(entry), salts });
    if (salts !== archived.salts) versions.push(revision);
    // An entry may have hundreds of long versions.
    await nextRound();
  }
  await tx.feed.append({ kind: 'edited', entryId, revision: edited.revision, notify: true, atMs: changedMs });
  return tx.redactions.insertRedaction({ ...redaction, versions });
}

/** Removes the digests of the requests that wrote the entries, from which a short text could be guessed. */
function removeFingerprints({ repeats }: EntryTransaction, ids: readonly number[]): Promise<void> {
  return repeats.removeFingerprints({
    keys: ids.map((id) => `run\n${id}\n`),
    results: ids.map((id) => `{"id":${id},"version":`),
  });
}

/** Notes which files are to be removed; returns the entries that show the same content under other attachments. */
async function forgetFiles(tx: EntryTransaction, files: readonly Attachment[]): Promise<number[]> {
  if (files.length === 0) return [];
  const checksums = [...new Set(files.map(({ checksum }) => checksum))];
  const toRemove = new Set([...(await tx.redactions.listFilesToRemove()), ...checksums]);
  await tx.redactions.putFilesToRemove([...toRemove]);
  const showing = new Set<number>();
  for (const checksum of checksums) {
    for (const id of await tx.attachments.listEntriesOfFile(checksum, maxEntries)) showing.add(id);
  }
  return [...showing];
}
