import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
} from '@aws-sdk/client-s3';
import type { BlobReference } from '../../attachments/blob-store.port.js';
import { type Bucket, createdUnlessPresent } from './bucket.js';
import { S3Error } from './s3-errors.js';

/** Maximum number of parts of one object. */
export const maxParts = 10_000;

/** Multipart upload of an object. */
export type Upload = ReturnType<Bucket['at']> & { readonly UploadId: string };

interface CreateOptions {
  /** Checksum algorithm for each part. */
  readonly ChecksumAlgorithm?: 'SHA256';
  readonly condition?: { readonly IfNoneMatch?: string };
}

/** Ids of the unfinished multipart uploads of this process. */
const running = new Set<string>();

export function isRunning(uploadId: string): boolean {
  return running.has(uploadId);
}

/**
 * Creates an object from parts. It appears only when complete; after a failure, nothing appears.
 * @param makeParts stores the parts, and returns them in order
 * @returns false when the condition was not met
 * @throws S3Error
 */
export async function createInParts(
  bucket: Bucket,
  key: string,
  file: BlobReference,
  makeParts: (upload: Upload) => Promise<CompletedPart[]>,
  { ChecksumAlgorithm, condition = {} }: CreateOptions = {},
): Promise<boolean> {
  const create = new CreateMultipartUploadCommand({ ...bucket.at(key), ChecksumAlgorithm });
  const { UploadId } = await bucket.servers.send(({ client, signal }) => client.send(create, { abortSignal: signal }));
  if (UploadId === undefined) throw new S3Error('MissingUploadId', 200, false);
  running.add(UploadId);
  const upload = { ...bucket.at(key), UploadId };
  try {
    const parts = await makeParts(upload);
    const isCreated = await createdUnlessPresent(complete(bucket, upload, parts, file, condition));
    if (!isCreated) await abort(bucket, upload);
    return isCreated;
  } catch (error) {
    await abort(bucket, upload);
    throw error;
  } finally {
    running.delete(UploadId);
  }
}

async function complete(
  bucket: Bucket,
  upload: Upload,
  Parts: CompletedPart[],
  file: BlobReference,
  condition: NonNullable<CreateOptions['condition']>,
): Promise<void> {
  const command = new CompleteMultipartUploadCommand({ ...upload, ...condition, MultipartUpload: { Parts } });
  try {
    await bucket.servers.send(({ client, signal }) => client.send(command, { abortSignal: signal }), {
      serverBytes: file.size,
    });
  } catch (error) {
    // The response to an earlier attempt was lost, or another process has ended the upload.
    if (!(error instanceof S3Error) || error.code !== 'NoSuchUpload') throw error;
    await bucket.verify(upload.Key.slice(bucket.prefix.length), file);
  }
}

/** Removes the stored parts, which take space. If that fails, a job removes them later. */
async function abort(bucket: Bucket, upload: Upload): Promise<void> {
  const command = new AbortMultipartUploadCommand(upload);
  await bucket.servers
    .send(({ client, signal }) => client.send(command, { abortSignal: signal }), { isRepeated: false })
    .catch(() => undefined);
}
