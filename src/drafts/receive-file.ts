import { Readable } from 'node:stream';
import { type Upload, withStoredBlobs } from '../attachments/attach-uploads.js';
import { checkAttachmentId, checkFilename } from '../attachments/attachment.js';
import type { BlobReference, BlobStore, StagedBlob } from '../attachments/blob-store.port.js';
import { readImageSize } from '../attachments/image-size.js';
import { detectMediaType } from '../attachments/media-type.js';
import type { AccountKey } from '../auth/accounts.js';
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
import type { DraftReader } from './draft-store.port.js';
import type { EditDraftDeps } from './edit-draft.js';

export interface ReceiveFileDeps extends EditDraftDeps {
  readonly blobs: BlobStore;
  readonly maxFileBytes: number;
  /** Of the files of all drafts of one user together. */
  readonly maxDraftFileBytes: number;
}

/** Where a file is. */
export interface FilePlace {
  readonly owner: AccountKey;
  readonly draftId: string;
  readonly fileId: string;
}

/** A part of a file that a client sends; the whole file is its only part. */
export interface FilePart {
  /** Undefined: as when the file was begun. */
  readonly filename: string | undefined;
  readonly fileMetadataDescription: string | undefined;
  /** Position of its first byte. */
  readonly start: number;
  /** Bytes of the whole file. */
  readonly total: number;
}

/**
 * Checks whether a part can follow what has arrived, before it is received.
 * @throws Fault missing `draft.…`; invalid `draft.file-unnamed`, `attachment.bad-…`; too-large `attachment.too-large`;
 *   conflict `draft.…`
 */
export async function checkPart(
  deps: ReceiveFileDeps,
  drafts: DraftReader,
  { owner, draftId, fileId }: FilePlace,
  part: FilePart,
): Promise<{ readonly filename: string; readonly present: DraftFile | undefined }> {
  if (part.total > deps.maxFileBytes) throw fileTooLarge(deps.maxFileBytes);
  const present = await drafts.findFile(owner, draftId, fileId);
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

/** @throws Fault conflict `draft.wrong-position`, with what has arrived */
function checkFollows({ start, total }: FilePart, present: DraftFile | undefined): void {
  const received = present?.received ?? 0;
  if (present && !present.complete && received === start && present.size === total) return;
  throw new Fault(
    'conflict',
    'draft.wrong-position',
    `The part begins at byte ${start} of ${total}, but ${received} bytes of ${present?.size ?? 0} have arrived. Go on at the next byte, or begin again at 0.`,
    { details: { received, size: present?.size ?? null } },
  );
}

/**
 * Stores a part of a file durably, and completes the file when it was the last one.
 * @throws Fault as `checkPart`; invalid `attachment.heic`
 */
export async function storePart(
  deps: ReceiveFileDeps,
  place: FilePlace,
  part: FilePart,
  blob: StagedBlob,
): Promise<DraftFile> {
  const { owner, draftId, fileId } = place;
  const { filename } = await checkPart(deps, deps.storage.committed.drafts, place, part);
  const contentType = part.start === 0 ? await detectMediaType(blob.head, filename) : '';
  const upload: Upload = { filename, contentType, blob };
  const file = await withStoredBlobs(deps, [upload], () =>
    deps.storage.write(async (tx) => {
      const { filename, present } = await checkPart(deps, tx.drafts, place, part);
      const nowMs = deps.clock.nowMs();
      const fileMetadataDescription = part.fileMetadataDescription ?? present?.fileMetadataDescription;
      if (part.start === 0) {
        const begun = { id: fileId, filename, fileMetadataDescription, size: part.total };
        await tx.drafts.beginFile(owner, draftId, begun, nowMs);
      } else if ((await tx.drafts.listParts(owner, draftId, fileId)).length >= draftLimits.parts) {
        throw tooMany('parts');
      }
      if (blob.size === part.total) {
        await tx.drafts.completeFile(owner, draftId, fileId, toContent(blob, contentType));
      } else {
        await tx.drafts.addPart(owner, draftId, fileId, { checksum: blob.checksum, size: blob.size }, nowMs);
      }
      return getFile(tx.drafts, place);
    }),
  );
  return file.received === file.size && !file.complete ? joinParts(deps, place) : file;
}

/**
 * Joins the parts of a file of which all bytes have arrived; returns the file as it is when it is complete already, or
 * not all of it has arrived.
 * @throws Fault missing `draft.file-not-found`; invalid `attachment.heic`; broken `attachment.unreadable`
 */
export async function joinParts(deps: ReceiveFileDeps, place: FilePlace): Promise<DraftFile> {
  const { owner, draftId, fileId } = place;
  const { drafts } = deps.storage.committed;
  const file = await getFile(drafts, place);
  if (file.complete || file.received < file.size) return file;
  const parts = await drafts.listParts(owner, draftId, fileId);
  const blob = await deps.blobs.stage(Readable.from(readParts(deps.blobs, parts)), file.size);
  try {
    const contentType = await detectMediaType(blob.head, file.filename);
    return await withStoredBlobs(deps, [{ filename: file.filename, contentType, blob }], () =>
      deps.storage.write(async (tx) => {
        await checkUnchanged(tx, place, parts);
        await tx.drafts.completeFile(owner, draftId, fileId, toContent(blob, contentType));
        return getFile(tx.drafts, place);
      }),
    );
  } finally {
    await deps.blobs.discard(blob).catch(() => undefined);
  }
}

function toContent({ checksum, head }: StagedBlob, contentType: string): CompleteContent {
  return { checksum, contentType, ...readImageSize(head, contentType) };
}

async function* readParts(blobs: BlobStore, parts: readonly BlobReference[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* await blobs.open(part);
}

/** @throws Fault conflict `draft.file-changed` when the file was begun again or completed meanwhile */
async function checkUnchanged(
  tx: DraftTransaction,
  { owner, draftId, fileId }: FilePlace,
  parts: readonly BlobReference[],
): Promise<void> {
  const present = await tx.drafts.listParts(owner, draftId, fileId);
  const isSame = present.length === parts.length && parts.every((one, at) => one.checksum === present[at]?.checksum);
  if (isSame) return;
  throw new Fault(
    'conflict',
    'draft.file-changed',
    'Another request has changed this file meanwhile. Ask how much of it has arrived before you send more.',
  );
}

/** Removes a file from a draft. @throws Fault missing `draft.file-not-found` */
export async function removeDraftFile(
  { storage }: EditDraftDeps,
  { owner, draftId, fileId }: FilePlace,
): Promise<void> {
  await storage.write(async (tx) => {
    if (!(await tx.drafts.removeFile(owner, draftId, fileId))) throw draftFileNotFound(fileId);
  });
}

/** @throws Fault missing `draft.file-not-found` */
export async function getFile(drafts: DraftReader, { owner, draftId, fileId }: FilePlace): Promise<DraftFile> {
  const file = await drafts.findFile(owner, draftId, fileId);
  if (!file) throw draftFileNotFound(fileId);
  return file;
}

function fileTooLarge(maxFileBytes: number): Fault {
  return limitFault('too-large', 'attachment.too-large', {
    refused: 'A file is too large; nothing was stored.',
    limit: { amount: inBytes(maxFileBytes), setting: 'maxFileSize', countedFor: 'each file, of any client' },
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
