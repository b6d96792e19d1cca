import { type CompletedPart, CopyObjectCommand, UploadPartCopyCommand } from '@aws-sdk/client-s3';
import type { BlobReference } from '../../attachments/blob-store.port.js';
import type { Bucket } from './bucket.js';
import { createInParts, maxParts, type Upload } from './create-in-parts.js';

export interface CopyLimits {
  /** Maximum size of an object copied in one request; larger objects are copied in parts. */
  readonly maxCopyBytes: number;
  readonly partBytes: number;
}

/** A single request copies at most 5 GB. The parts are smaller, to shorten the wait for each response. */
const defaultLimits: CopyLimits = { maxCopyBytes: 5_368_709_120, partBytes: 1_073_741_824 };

/** Keys of the source and the target of a copy. */
export interface Copy {
  readonly from: string;
  readonly to: string;
  /** Whether to keep an object that appears at `to` during a copy in parts. */
  readonly keepsOther?: boolean;
}

/**
 * Copies an object within the storage, and verifies the copy.
 * @returns false when another object was kept
 * @throws DamagedFile when the copy does not match the checksum; S3Error NoSuchKey
 */
export async function copyObject(
  bucket: Bucket,
  { from, to, keepsOther = false }: Copy,
  file: BlobReference,
  limits: CopyLimits = defaultLimits,
): Promise<boolean> {
  const { Bucket: name, Key } = bucket.at(from);
  const CopySource = encodeURIComponent(`${name}/${Key}`).replaceAll('%2F', '/');
  if (file.size > limits.maxCopyBytes) {
    const condition = keepsOther ? { IfNoneMatch: '*' } : {};
    const makeParts = (upload: Upload) => copyParts(bucket, CopySource, upload, file, limits);
    if (!(await createInParts(bucket, to, file, makeParts, { condition }))) return false;
    // The server has no checksum of the whole file.
    await bucket.verify(to, file);
    return true;
  }
  const command = new CopyObjectCommand({ ...bucket.at(to), CopySource, ChecksumAlgorithm: 'SHA256' });
  const { CopyObjectResult: copied } = await bucket.servers.send(
    ({ client, signal }) => client.send(command, { abortSignal: signal }),
    { serverBytes: file.size },
  );
  if (copied?.ChecksumSHA256 !== Buffer.from(file.checksum, 'hex').toString('base64')) await bucket.verify(to, file);
  return true;
}

async function copyParts(
  bucket: Bucket,
  CopySource: string,
  upload: Upload,
  { size }: BlobReference,
  { partBytes }: CopyLimits,
): Promise<CompletedPart[]> {
  const bytes = Math.max(partBytes, Math.ceil(size / maxParts));
  const parts: CompletedPart[] = [];
  for (let start = 0; start < size; start += bytes) {
    const end = Math.min(start + bytes, size);
    const PartNumber = parts.length + 1;
    const command = new UploadPartCopyCommand({
      ...upload,
      CopySource,
      PartNumber,
      CopySourceRange: `bytes=${start}-${end - 1}`,
    });
    const { CopyPartResult: copied } = await bucket.servers.send(
      ({ client, signal }) => client.send(command, { abortSignal: signal }),
      { serverBytes: end - start },
    );
    parts.push({ PartNumber, ETag: copied?.ETag });
  }
  return parts;
}
