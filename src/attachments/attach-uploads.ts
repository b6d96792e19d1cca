import { randomUUID } from 'node:crypto';
import { Fault, quoted } from '../kernel/fault.js';
import { type Attachment, checkAttachmentId, checkFilename } from './attachment.js';
import type { AttachmentStorage, AttachmentTransaction } from './attachment-storage.js';
import type { BlobStore, StagedBlob } from './blob-store.port.js';

/** Of one entry. */
const maxAttachments = 1_000;

/** A file of a submission: on stable storage, claimed by nobody. */
export interface Upload {
  readonly filename: string;
  readonly contentType: string;
  readonly blob: StagedBlob;
}

/** One attachment as a client lists it in an entry. */
export interface RequestedAttachment {
  readonly id: string | undefined;
  readonly filename: string | undefined;
  readonly fileMetadataDescription: string | undefined;
}

/**
 * Runs `work` while the files are safe under their addresses; when it fails, those that nobody claimed go at once.
 */
export async function withStoredBlobs<T>(
  deps: { readonly blobs: BlobStore; readonly storage: AttachmentStorage },
  uploads: readonly Upload[],
  work: () => Promise<T>,
): Promise<T> {
  const kept: StagedBlob[] = [];
  let failed = true;
  try {
    for (const upload of uploads) {
      await deps.blobs.keep(upload.blob);
      kept.push(upload.blob);
    }
    const result = await work();
    failed = false;
    return result;
  } finally {
    for (const blob of kept) deps.blobs.release(blob);
    if (failed && kept.length > 0) {
      const removing = deps.blobs.removeUnreferenced(
        (checksums) => deps.storage.committed.attachments.claimed(checksums),
        kept.map((blob) => blob.checksum),
      );
      // The failure is what counts; what cannot be removed now stays, and is counted.
      await removing.catch(() => undefined);
    }
  }
}

/**
 * The attachments of an entry after a submission: each wish is one that the entry has, a new one with a file of its
 * name, or one that is in the repository already. Claims the new ones. Without a list, the entry keeps what it has.
 * @param mayUse whether the sender may use one that is in the repository: for those who may not read it, it is not there
 * @throws Fault invalid or conflict with an `attachment.…` code
 */
export async function resolveAttachments(
  tx: AttachmentTransaction,
  wishes: readonly RequestedAttachment[] | undefined,
  uploads: readonly Upload[],
  present: readonly Attachment[],
  mayUse: (attachmentId: string) => Promise<boolean>,
): Promise<readonly Attachment[]> {
  checkCount(wishes?.length ?? 0);
  checkDistinct(
    'filename',
    uploads.map((upload) => sameName(upload.filename)),
  );
  checkDistinct(
    'id',
    (wishes ?? []).flatMap((wish) => wish.id ?? []),
  );
  const unmatched = new Map(uploads.map((upload) => [sameName(upload.filename), upload]));
  const known = new Map(present.map((attachment) => [attachment.id, attachment]));
  const newNames = new Set<string>();
  const settled: Attachment[] = [];
  for (const wish of wishes ?? []) {
    const stays = wish.id === undefined ? undefined : known.get(wish.id);
    if (stays) {
      settled.push(stays);
      continue;
    }
    const upload = takeUpload(unmatched, wish);
    if (upload) {
      newNames.add(sameName(upload.filename));
      settled.push(await attachUpload(tx, upload, wish));
    } else {
      settled.push(await findInRepository(tx, wish, newNames, mayUse));
    }
  }
  const [leftOver] = unmatched.values();
  if (leftOver) {
    throw new Fault(
      'invalid',
      'attachment.unmatched-file',
      `The file ${quoted(leftOver.filename)} has no attachment of that filename in the entry. List it under “attachments”.`,
    );
  }
  return wishes === undefined ? present : settled;
}

/** Stores an upload as an attachment, under the wished id or a new one. */
export async function attachUpload(
  tx: AttachmentTransaction,
  upload: Upload,
  wish: Omit<RequestedAttachment, 'filename'>,
): Promise<Attachment> {
  checkFilename(upload.filename);
  if (wish.id !== undefined) checkAttachmentId(wish.id);
  const attachment: Attachment = {
    id: wish.id ?? randomUUID(),
    filename: upload.filename,
    fileMetadataDescription: wish.fileMetadataDescription ?? upload.contentType,
    size: upload.blob.size,
    contentType: upload.contentType,
    checksum: upload.blob.checksum,
  };
  await tx.attachments.claim(attachment);
  return attachment;
}

function takeUpload(unmatched: Map<string, Upload>, wish: RequestedAttachment): Upload | undefined {
  if (wish.filename === undefined) return undefined;
  // Browsers write a quote and line breaks of a file name in percent form.
  const asInForm = wish.filename.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  for (const name of [sameName(wish.filename), sameName(asInForm)]) {
    const upload = unmatched.get(name);
    if (upload) {
      unmatched.delete(name);
      return { ...upload, filename: wish.filename };
    }
  }
  return undefined;
}

async function findInRepository(
  tx: AttachmentTransaction,
  wish: RequestedAttachment,
  newNames: ReadonlySet<string>,
  mayUse: (attachmentId: string) => Promise<boolean>,
): Promise<Attachment> {
  const attachment = wish.id === undefined ? undefined : await tx.attachments.find(wish.id);
  if (attachment && (await mayUse(attachment.id))) return attachment;
  if (wish.filename !== undefined && newNames.has(sameName(wish.filename))) {
    checkDistinct('filename', [wish.filename, wish.filename]);
  }
  throw new Fault(
    'invalid',
    'attachment.file-missing',
    `The attachment ${quoted(wish.filename ?? wish.id ?? '')} has no file part of that filename, and its id is not that of a stored attachment. Send the file, or leave the attachment out.`,
  );
}

/** @throws Fault invalid `attachment.too-many` */
export function checkCount(attachments: number): void {
  if (attachments > maxAttachments) {
    throw new Fault(
      'invalid',
      'attachment.too-many',
      `The entry would have ${attachments} attachments; at most ${maxAttachments} are possible.`,
    );
  }
}

/** Two spellings of one name: composed and decomposed accents look the same to a person. */
function sameName(filename: string): string {
  return filename.normalize('NFC');
}

function checkDistinct(what: 'id' | 'filename', values: readonly string[]): void {
  const seen = new Set<string>();
  for (const value of values) {
    if (seen.has(value)) {
      throw new Fault(
        'invalid',
        `attachment.duplicate-${what}`,
        `Two attachments of this submission have the ${what} ${quoted(value)}. Give each its own.`,
      );
    }
    seen.add(value);
  }
}
