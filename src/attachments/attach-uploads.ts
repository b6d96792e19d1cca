import { randomUUID } from 'node:crypto';
import { Fault, quoted } from '../kernel/fault.js';
import { decodeFileName } from '../kernel/file-name.js';
import { limitFault } from '../kernel/limit.js';
import { type Attachment, checkAttachmentId, checkFilename } from './attachment.js';
import type { AttachmentStorage, AttachmentTransaction } from './attachment-storage.js';
import type { BlobStore, StagedBlob } from './blob-store.port.js';
import { readImageSize } from './image-size.js';

/** Maximum number of attachments of an entry. */
export const maxAttachments = 1_000;

/** A staged file of a submission: on stable storage, but not yet part of an attachment. */
export interface Upload {
  readonly filename: string;
  readonly contentType: string;
  readonly blob: StagedBlob;
}

/** A stored file of a draft, which becomes an attachment when the entry is stored. */
export interface StoredFile extends Omit<Attachment, 'fileMetadataDescription'> {
  /** Undefined: the media type is used. */
  readonly fileMetadataDescription: string | undefined;
}

/** An attachment in the list that a client sends with an entry. */
export interface RequestedAttachment {
  readonly id: string | undefined;
  readonly filename: string | undefined;
  readonly fileMetadataDescription: string | undefined;
}

/**
 * Commits the uploaded blobs and runs `work` while they are protected. When a commit or `work` fails, rejects with its
 * error, after removing the files that the commits added and that are unreferenced.
 * @throws Fault full `storage.full`; unavailable `storage.unavailable`
 */
export async function withStoredBlobs<T>(
  deps: { readonly blobs: BlobStore; readonly storage: AttachmentStorage },
  uploads: readonly Upload[],
  work: () => Promise<T>,
): Promise<T> {
  const committed: StagedBlob[] = [];
  let hasFailed = true;
  try {
    for (const { blob } of uploads) {
      await deps.blobs.commit(blob);
      committed.push(blob);
    }
    const result = await work();
    hasFailed = false;
    return result;
  } finally {
    for (const blob of committed) deps.blobs.release(blob);
    if (hasFailed && committed.length > 0) {
      const removing = deps.blobs.removeUnreferenced(
        (checksums) => deps.storage.committed.attachments.referenced(checksums),
        committed,
      );
      // The caller gets the error of `work` even if the removal fails. A job removes unreferenced blobs that remain.
      await removing.catch(() => undefined);
    }
  }
}

export interface SubmittedFiles {
  /** Complete list of attachments after the submission; undefined: the present ones stay. */
  readonly requested: readonly RequestedAttachment[] | undefined;
  readonly uploads: readonly Upload[];
  /** The files of the draft that is submitted. */
  readonly claimed: readonly StoredFile[];
  readonly present: readonly Attachment[];
}

/**
 * Returns the attachments of an entry after a submission. A requested attachment belongs to this entry or to another
 * one, is a file of the draft, or is new and has an uploaded file of the same name. New attachments are stored. Without
 * a list, the entry keeps its attachments. Files of the draft that are not in the list are added at the end.
 * @param mayUse whether the sender may read an attachment of another entry; otherwise it is reported as missing
 * @throws Fault invalid or conflict with an `attachment.…` code
 */
export async function resolveAttachments(
  tx: AttachmentTransaction,
  { requested, uploads, claimed, present }: SubmittedFiles,
  mayUse: (attachmentId: string) => Promise<boolean>,
): Promise<readonly Attachment[]> {
  checkSubmission(requested ?? [], [...uploads, ...claimed]);
  const ofDraft = new Map(claimed.map((file) => [file.id, file]));
  const unmatched = new Map(uploads.map((upload) => [normalizedName(upload.filename), upload]));
  const known = new Map(present.map((attachment) => [attachment.id, attachment]));
  const newNames = new Set<string>();
  const resolved: Attachment[] = [];
  for (const request of requested ?? []) {
    const stored = request.id === undefined ? undefined : known.get(request.id);
    const file = stored || request.id === undefined ? undefined : ofDraft.get(request.id);
    const upload = stored || file ? undefined : takeUpload(unmatched, request);
    if (upload) newNames.add(normalizedName(upload.filename));
    if (stored) resolved.push(stored);
    else if (file) {
      ofDraft.delete(file.id);
      resolved.push(await attachStored(tx, file, request));
    } else if (upload) resolved.push(await attachUpload(tx, upload, request));
    else resolved.push(await findStored(tx, request, newNames, mayUse));
  }
  checkAllMatched(unmatched);
  const others: Attachment[] = [];
  for (const file of ofDraft.values()) others.push(await attachStored(tx, file, undefined));
  const all = [...(requested === undefined ? present : resolved), ...others];
  checkCount(all.length);
  return all;
}

function checkSubmission(
  requested: readonly RequestedAttachment[],
  files: readonly { readonly filename: string }[],
): void {
  checkCount(requested.length);
  checkDistinct(
    'filename',
    files.map(({ filename }) => normalizedName(filename)),
  );
  checkDistinct(
    'id',
    requested.flatMap(({ id }) => id ?? []),
  );
}

function checkAllMatched(unmatched: ReadonlyMap<string, Upload>): void {
  const [upload] = unmatched.values();
  if (!upload) return;
  throw new Fault(
    'invalid',
    'attachment.unmatched-file',
    `The file ${quoted(upload.filename)} has no attachment with this filename in the entry. List it under “attachments”.`,
  );
}

/**
 * Stores an upload as an attachment, with the requested id or a new one.
 * @throws Fault invalid `attachment.bad-filename`, `attachment.bad-id`; conflict `attachment.id-taken`
 */
export async function attachUpload(
  tx: AttachmentTransaction,
  upload: Upload,
  requested: Omit<RequestedAttachment, 'filename'>,
): Promise<Attachment> {
  checkFilename(upload.filename);
  if (requested.id !== undefined) checkAttachmentId(requested.id);
  const attachment: Attachment = {
    id: requested.id ?? randomUUID(),
    filename: upload.filename,
    fileMetadataDescription: requested.fileMetadataDescription ?? upload.contentType,
    size: upload.blob.size,
    contentType: upload.contentType,
    checksum: upload.blob.checksum,
    ...readImageSize(upload.blob.head, upload.contentType),
  };
  await tx.attachments.insert(attachment);
  return attachment;
}

/**
 * Stores a file of a draft as an attachment, with the name and description that the list gives, if it contains the
 * file.
 */
async function attachStored(
  tx: AttachmentTransaction,
  file: StoredFile,
  requested: RequestedAttachment | undefined,
): Promise<Attachment> {
  const { id, size, contentType, checksum, width, height } = file;
  const filename = requested?.filename ?? file.filename;
  checkFilename(filename);
  const fileMetadataDescription =
    requested?.fileMetadataDescription ?? file.fileMetadataDescription ?? file.contentType;
  const attachment: Attachment = {
    id,
    filename,
    fileMetadataDescription,
    size,
    contentType,
    checksum,
    width,
    height,
  };
  await tx.attachments.insert(attachment);
  return attachment;
}

/** Removes and returns the upload with the filename of the request; undefined when there is none. */
function takeUpload(unmatched: Map<string, Upload>, { filename }: RequestedAttachment): Upload | undefined {
  const upload = filename === undefined ? undefined : unmatched.get(normalizedName(filename));
  if (filename === undefined || !upload) return undefined;
  unmatched.delete(normalizedName(filename));
  return { ...upload, filename };
}

/** @throws Fault invalid when no attachment that the sender may use has the requested id */
async function findStored(
  tx: AttachmentTransaction,
  requested: RequestedAttachment,
  newNames: ReadonlySet<string>,
  mayUse: (attachmentId: string) => Promise<boolean>,
): Promise<Attachment> {
  const attachment = requested.id === undefined ? undefined : await tx.attachments.find(requested.id);
  if (attachment && (await mayUse(attachment.id))) return attachment;
  const { filename } = requested;
  // The only upload of this name belongs to an earlier attachment of the list.
  if (filename !== undefined && newNames.has(normalizedName(filename))) throw duplicate('filename', filename);
  throw new Fault(
    'invalid',
    'attachment.file-missing',
    `No file was sent for the attachment ${quoted(filename ?? requested.id ?? '')}, and no stored attachment has its id. Send the file, or remove the attachment from the list.`,
  );
}

/** @throws Fault invalid `attachment.too-many` */
export function checkCount(attachments: number): void {
  if (attachments > maxAttachments) {
    throw limitFault('invalid', 'attachment.too-many', {
      refused: `The entry would have ${attachments} attachments.`,
      limit: {
        amount: `${maxAttachments} attachments`,
        setting: undefined,
        countedFor: 'each entry, regardless of the client',
      },
    });
  }
}

/**
 * Returns the same text for different spellings of a file name in a list and in a form. Accents may be composed or
 * decomposed, and some clients escape characters in the list as forms do.
 */
function normalizedName(filename: string): string {
  return decodeFileName(filename).normalize('NFC');
}

function checkDistinct(what: 'id' | 'filename', values: readonly string[]): void {
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) throw duplicate(what, value);
    seen.add(value);
  }
}

function duplicate(what: 'id' | 'filename', value: string): Fault {
  return new Fault(
    'invalid',
    `attachment.duplicate-${what}`,
    `Two attachments of this submission have the ${what} ${quoted(value)}. Give each a different one.`,
  );
}
