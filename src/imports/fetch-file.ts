import { setTimeout as sleep } from 'node:timers/promises';
import type { Upload } from '../attachments/attach-uploads.js';
import { type Attachment, checkAttachmentId, checkFilename } from '../attachments/attachment.js';
import type { BlobStore, StagedBlob } from '../attachments/blob-store.port.js';
import { readImageSize } from '../attachments/image-size.js';
import { detectMediaType } from '../attachments/media-type.js';
import { derivedId } from '../kernel/derived-id.js';
import { Fault, quoted } from '../kernel/fault.js';
import { inBytes } from '../kernel/limit.js';
import type { ImportedAttachment } from './import-source.port.js';
import { isWebPageInstead } from './web-page.js';

/** A received file of a source, and the attachment that it becomes. */
export interface FetchedFile {
  readonly attachment: Attachment;
  readonly upload: Upload;
}

export interface MissingFile {
  readonly reason: string;
}

const maxAttempts = 5;
const retryMs = 500;

interface Deps {
  readonly blobs: BlobStore;
  readonly maxFileBytes: number;
}

/**
 * Receives a file of a source, and stages it on stable storage.
 * @param key identifies the file at its source
 * @throws Fault full `storage.full`; unavailable `storage.unavailable`, `import.source-unavailable`
 */
export async function fetchFile(
  deps: Deps,
  file: ImportedAttachment,
  key: string,
  signal: AbortSignal,
): Promise<FetchedFile | MissingFile> {
  const attempts = file.isLocal ? 1 : maxAttempts;
  let received: string | undefined;
  for (let attempt = 1; ; attempt++) {
    const opened = await file.open(signal);
    if (!opened) return { reason: `The source does not have the file ${quoted(file.filename)}.` };
    if ('reason' in opened) return { reason: `The file ${quoted(file.filename)} is missing. ${opened.reason}` };
    try {
      const blob = await deps.blobs.stage(opened.content, deps.maxFileBytes);
      const isPage = await isWebPageInstead(file, opened.mediaType, blob);
      const mismatch = isPage ? describeWebPage(file) : findMismatch(blob, file);
      if (mismatch === undefined) return await toFetched(blob, file, key);
      await deps.blobs.discard(blob);
      // If the same bytes arrive twice, they are the bytes that the source has.
      if (isPage || attempt >= attempts || blob.checksum === received) return { reason: mismatch };
      received = blob.checksum;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Fault && error.code === 'attachment.too-large') {
        return {
          reason: `The file ${quoted(file.filename)} has more than ${inBytes(deps.maxFileBytes)}. Raise --largest-file.`,
        };
      }
      // The storage has failed, and not the source.
      if (error instanceof Fault) throw error;
      if (attempt >= attempts) {
        return { reason: `The file ${quoted(file.filename)} did not arrive: ${(error as Error).message}.` };
      }
    }
    await sleep(retryMs * attempt, undefined, { signal });
  }
}

const describeWebPage = ({ filename }: ImportedAttachment) =>
  `The source sent a web page, such as a sign-in page, in place of the file ${quoted(filename)}. Check the user and the password, or the token, and run the import again. If the file is that page, give it a name that ends in .html at the source.`;

/**
 * Returns a sentence about the difference between a received file and its description; undefined when there is none.
 */
function findMismatch(blob: StagedBlob, { filename, size, checksum }: ImportedAttachment): string | undefined {
  if (size !== undefined && size !== blob.size) {
    return `The file ${quoted(filename)} has ${blob.size} bytes, but the source says ${size}.`;
  }
  if (checksum === undefined || checksum === blob.checksum) return undefined;
  return `The file ${quoted(filename)} does not have the checksum that the source says.`;
}

/** Describes the differences between a file and the attachment that it became. */
export function describeChanges(file: ImportedAttachment, key: string, { id, filename }: Attachment): string[] {
  const changes: string[] = [];
  if (filename !== file.filename) changes.push(`The file name ${quoted(file.filename)} became ${quoted(filename)}.`);
  if (id !== file.id) changes.push(`The id of the attachment ${quoted(file.id ?? key)} became ${id}.`);
  return changes;
}

async function toFetched(blob: StagedBlob, file: ImportedAttachment, key: string): Promise<FetchedFile> {
  const filename = usable(file.filename, checkFilename, toFilename);
  const id = file.id === undefined ? derivedId(key) : usable(file.id, checkAttachmentId, derivedId);
  const contentType = await mediaTypeOf(blob, filename);
  const attachment: Attachment = {
    id,
    filename,
    fileMetadataDescription: file.fileMetadataDescription ?? contentType,
    size: blob.size,
    contentType,
    checksum: blob.checksum,
    ...readImageSize(blob.head, contentType),
  };
  return { attachment, upload: { filename, contentType, blob } };
}

/** Detects the media type. Images that browsers cannot show are refused in new entries, but accepted from a source. */
async function mediaTypeOf({ head }: StagedBlob, filename: string): Promise<string> {
  try {
    return await detectMediaType(head, filename);
  } catch (error) {
    if (error instanceof Fault && error.code === 'attachment.heic') return 'image/heic';
    throw error;
  }
}

function usable(value: string, check: (value: string) => void, otherwise: (value: string) => string): string {
  try {
    check(value);
    return value;
  } catch {
    return otherwise(value);
  }
}

function toFilename(name: string): string {
  const plain =
    name
      .replace(/[\p{Cc}\p{Zl}\p{Zp}/\\\u202a-\u202e\u2066-\u2069]/gu, '_')
      .replace(/^[.\s]+$/u, '_')
      .toWellFormed() || 'file';
  const [, base = '', extension = ''] = /^(.*?)((?:\.[^.]{1,16})?)$/su.exec(plain) ?? [];
  let short = base;
  while (Buffer.byteLength(short + extension) > 255) short = [...short].slice(0, -1).join('');
  return short + extension;
}
