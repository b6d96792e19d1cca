import { Readable } from 'node:stream';
import { type Upload, withStoredBlobs } from '../attachments/attach-uploads.js';
import { checkAttachmentId, checkFilename } from '../attachments/attachment.js';
import { type BlobReference, type BlobStore, headBytes, type StagedBlob } from '../attachments/blob-store.port.js';
import { readImageSize } from '../attachments/image-size.js';
import { detectMediaType } from '../attachments/media-type.js';
import { Fault } from '../kernel/fault.js';
import { inBytes, limitFault } from '../kernel/limit.js';
import {
  type CompleteContent,
  type DraftFile,
  draftFileNotFound,
  draftLimits,
  draftNotFound,
  tooMany,
} from './draft.js';
import type { DraftTransaction } from './draft-storage.js';
import type { DraftFileKey, DraftReader } from './draft-store.port.js';
import type { EditDraftDeps } from './edit-draft.js';

export interface ReceiveFileDeps extends EditDraftDeps {
  readonly blobs: BlobStore;
  readonly maxFileBytes: number;
  /** Maximum total size of a user's draft files, in bytes. */
  readonly maxDraftFileBytes: number;
  /** Files whose parts are being joined. */
  readonly joins: Map<string, Promise<DraftFile>>;
}

/** A part of a file, as a client sends it. A file that is sent whole has one part. */
export interface FilePart {
  /** Undefined: the name that came with the first part. */
  readonly filename: string | undefined;
  readonly fileMetadataDescription: string | undefined;
  /** Position of the first byte of the part in the file. */
  readonly start: number;
  /** Size of the whole file in bytes. */
  readonly total: number;
}

/**
 * Checks whether a part continues the received bytes, before it is received itself.
 * @throws Fault missing `draft.…`; invalid `draft.file-unnamed`, `attachment.bad-…`; too-large `attachment.too-large`;
 *   conflict `draft.…`
 */
export async function checkPart(
  deps: ReceiveFileDeps,
  drafts: DraftReader,
  fileKey: DraftFileKey,
  part: FilePart,
): Promise<{ readonly filename: string; readonly present: DraftFile | undefined }> {
  if (part.total > deps.maxFileBytes) throw fileTooLarge(deps.maxFileBytes);
  const { owner, draftId, fileId } = fileKey;
  const present = await drafts.findFile(fileKey);
  const filename = part.filename ?? present?.filename;
  if (filename === undefined) {
    throw new Fault('invalid', 'draft.file-unnamed', 'The file has no name. Send it as the parameter filename.');
  }
  checkFilename(filename);
  checkAttachmentId(fileId);
  if (part.start > 0) checkFollows(part, present);
  if ((await drafts.findRevision(owner, draftId)) === undefined) throw draftNotFound(draftId);
  const usage = await drafts.measure(owner);
  if (!present && usage.files >= draftLimits.files) throw tooMany('files');
  if (usage.fileBytes - (present?.size ?? 0) + part.total > deps.maxDraftFileBytes) throw tooManyBytes(deps);
  return { filename, present };
}

/** @throws Fault conflict `draft.wrong-position`, with the number of received bytes */
function checkFollows({ start, total }: FilePart, present: DraftFile | undefined): void {
  const received = present?.received ?? 0;
  if (present && !present.complete && received === start && present.size === total) return;
  throw new Fault(
    'conflict',
    'draft.wrong-position',
    `The part begins at byte ${start} of ${total}, but ${received} bytes of ${present?.size ?? 0} have arrived. Continue at the next byte, or restart at 0.`,
    { details: { received, size: present?.size ?? null } },
  );
}

/**
 * Stores a part of a file durably, and completes the file when it was the last one.
 * @throws Fault as `checkPart`; invalid `attachment.heic`
 */
export async function storePart(
  deps: ReceiveFileDeps,
  fileKey: DraftFileKey,
  part: FilePart,
  blob: StagedBlob,
): Promise<DraftFile> {
  const { owner, draftId, fileId } = fileKey;
  const { filename } = await checkPart(deps, deps.storage.committed.drafts, fileKey, part);
  const contentType = (await detectArrived(deps, fileKey, part, { blob, filename })) ?? '';
  const upload: Upload = { filename, contentType, blob };
  const file = await withStoredBlobs(deps, [upload], () =>
    deps.storage.write(async (tx) => {
      const { filename, present } = await checkPart(deps, tx.drafts, fileKey, part);
      const nowMs = deps.clock.nowMs();
      const fileMetadataDescription = part.fileMetadataDescription ?? present?.fileMetadataDescription;
      if (part.start === 0) {
        const begun = { id: fileId, filename, fileMetadataDescription, size: part.total };
        await tx.drafts.beginFile(owner, draftId, begun, nowMs);
      } else if ((await tx.drafts.listParts(fileKey)).length >= draftLimits.parts) {
        throw tooMany('parts');
      }
      if (blob.size === part.total) {
        await tx.drafts.completeFile(fileKey, toContent(blob, contentType));
      } else {
        await tx.drafts.addPart(fileKey, { checksum: blob.checksum, size: blob.size }, nowMs);
      }
      return getFile(tx.drafts, fileKey);
    }),
  );
  return file.received === file.size && !file.complete ? joinOnce(deps, fileKey) : file;
}

/**
 * Detects the media type of a file before a part is stored, if this part completes the beginning of the file; otherwise
 * returns undefined.
 * @throws Fault invalid `attachment.heic`
 */
async function detectArrived(
  { storage, blobs }: ReceiveFileDeps,
  fileKey: DraftFileKey,
  { start, total }: FilePart,
  { blob, filename }: Omit<Upload, 'contentType'>,
): Promise<string | undefined> {
  const needed = Math.min(total, headBytes);
  // An empty file has nothing to wait for.
  if ((start > 0 && start >= needed) || start + blob.size < needed) return undefined;
  const parts = start === 0 ? [] : await storage.committed.drafts.listParts(fileKey);
  const head = await readHead(blobs, parts, start);
  return detectMediaType(Buffer.concat([head, blob.head]).subarray(0, needed), filename);
}

/**
 * Returns the state of a file. If all bytes have arrived, but the process ended before the file was complete, joins its
 * parts, only once for concurrent requests.
 * @throws Fault as `joinParts`
 */
export async function reportFile(deps: ReceiveFileDeps, fileKey: DraftFileKey): Promise<DraftFile> {
  const file = await getFile(deps.storage.committed.drafts, fileKey);
  return file.complete || file.received < file.size ? file : joinOnce(deps, fileKey);
}

function joinOnce(deps: ReceiveFileDeps, fileKey: DraftFileKey): Promise<DraftFile> {
  const { owner, draftId, fileId } = fileKey;
  const key = JSON.stringify([owner.scheme, owner.userName, draftId, fileId]);
  const present = deps.joins.get(key);
  if (present) return present;
  const joining = joinParts(deps, fileKey).finally(() => deps.joins.delete(key));
  deps.joins.set(key, joining);
  return joining;
}

/**
 * Joins the parts of a file of which all bytes have arrived.
 * @throws Fault missing `draft.file-not-found`; invalid `attachment.heic`; broken `attachment.unreadable`
 */
async function joinParts(deps: ReceiveFileDeps, fileKey: DraftFileKey): Promise<DraftFile> {
  const { drafts } = deps.storage.committed;
  const file = await getFile(drafts, fileKey);
  if (file.complete) return file;
  const parts = await drafts.listParts(fileKey);
  // Detected before the parts are joined. Otherwise a refused file would be joined again for each request.
  const contentType = await detectMediaType(await readHead(deps.blobs, parts, file.size), file.filename);
  const blob = await deps.blobs.stage(Readable.from(readParts(deps.blobs, parts)), file.size);
  try {
    return await withStoredBlobs(deps, [{ filename: file.filename, contentType, blob }], () =>
      deps.storage.write(async (tx) => {
        await checkUnchanged(tx, fileKey, parts);
        await tx.drafts.completeFile(fileKey, toContent(blob, contentType));
        return getFile(tx.drafts, fileKey);
      }),
    );
  } finally {
    await deps.blobs.discard(blob).catch(() => undefined);
  }
}

/**
 * Reads the beginning of a file from its parts.
 * @param bytes number of received bytes of the file
 */
async function readHead(blobs: BlobStore, parts: readonly BlobReference[], bytes: number): Promise<Buffer> {
  const needed = Math.min(bytes, headBytes);
  const chunks: Uint8Array[] = [];
  let size = 0;
  if (needed === 0) return Buffer.alloc(0);
  for await (const chunk of readParts(blobs, parts)) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= needed) break;
  }
  return Buffer.concat(chunks).subarray(0, needed);
}

function toContent({ checksum, head }: StagedBlob, contentType: string): CompleteContent {
  return { checksum, contentType, ...readImageSize(head, contentType) };
}

async function* readParts(blobs: BlobStore, parts: readonly BlobReference[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* await blobs.open(part);
}

/** @throws Fault conflict `draft.file-changed` when the file was restarted or completed in the meantime */
async function checkUnchanged(
  tx: DraftTransaction,
  fileKey: DraftFileKey,
  parts: readonly BlobReference[],
): Promise<void> {
  const present = await tx.drafts.listParts(fileKey);
  const isSame = present.length === parts.length && parts.every((one, at) => one.checksum === present[at]?.checksum);
  if (isSame) return;
  throw new Fault(
    'conflict',
    'draft.file-changed',
    'Another request has changed this file in the meantime. Ask how much of it has arrived before you send more.',
  );
}

/** Removes a file from a draft. @throws Fault missing `draft.file-not-found` */
export async function removeDraftFile({ storage }: EditDraftDeps, fileKey: DraftFileKey): Promise<void> {
  await storage.write(async (tx) => {
    if (!(await tx.drafts.removeFile(fileKey))) throw draftFileNotFound(fileKey.fileId);
  });
}

/** @throws Fault missing `draft.file-not-found` */
export async function getFile(drafts: DraftReader, fileKey: DraftFileKey): Promise<DraftFile> {
  const file = await drafts.findFile(fileKey);
  if (!file) throw draftFileNotFound(fileKey.fileId);
  return file;
}

function fileTooLarge(maxFileBytes: number): Fault {
  return limitFault('too-large', 'attachment.too-large', {
    refused: 'A file is too large; nothing was stored.',
    limit: { amount: inBytes(maxFileBytes), setting: 'maxFileSize', countedFor: 'each file, regardless of the client' },
    advice: 'Attach a smaller file.',
  });
}

function tooManyBytes({ maxDraftFileBytes }: ReceiveFileDeps): Fault {
  return limitFault('conflict', 'draft.files-too-large', {
    refused: 'Nothing was stored.',
    limit: {
      amount: inBytes(maxDraftFileBytes),
      setting: 'maxDraftFilesSize',
      countedFor: 'the files of all drafts of one user together',
    },
    advice: 'Submit or delete a draft first.',
  });
}
