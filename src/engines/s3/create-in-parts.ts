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

/** An object that is created in parts. */
export type Upload = ReturnType<Bucket['at']> & { readonly UploadId: string };

interface CreateOptions {
  /** Checksum that the server stores with each part. */
  readonly ChecksumAlgorithm?: 'SHA256';
  readonly condition?: { readonly IfNoneMatch?: string };
}

/** The uploads in parts that this process has not finished. */
const running = new Set<string>();

export function isRunning(uploadId: string): boolean {
  return running.has(uploadId);
}

/**
 * Creates an object from parts. It appears when it is complete; when anything fails before, nothing appears.
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
    // The answer to the first attempt was lost, or somebody else has ended the upload.
    if (!(error instanceof S3Error) || error.code !== 'NoSuchUpload') throw error;
    await bucket.verify(upload.Key.slice(bucket.prefix.length), file);
  }
}

/** The parts would be stored, and paid for, for ever. What cannot be removed now is removed by a job. */
async function abort(bucket: Bucket, upload: Upload): Promise<void> {
  const command = new AbortMultipartUploadCommand(upload);
  await bucket.servers
    .send(({ client, signal }) => client.send(command, { abortSignal: signal }), { isRepeated: false })
    .catch(() => undefined);
}
