import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { type CompletedPart, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import type { BlobReference } from '../../attachments/blob-store.port.js';
import type { ByteRate } from '../../kernel/byte-rate.js';
import { type Bucket, createdUnlessPresent } from './bucket.js';
import { createInParts, maxParts, type Upload } from './create-in-parts.js';
import type { Attempt } from './s3-servers.js';

/** Size of the parts in which larger files are sent. A failure repeats only the affected part. */
const partBytes = 16_777_216;

export interface StoreOptions {
  /** Whether to replace an existing object; otherwise it is kept. */
  readonly replace: boolean;
  /** Maximum upload rate; undefined: as fast as the server accepts data. */
  readonly rate?: ByteRate;
}

/** A file on the local disk, and its upload rate. */
interface LocalFile extends BlobReference {
  readonly path: string;
  readonly rate: ByteRate | undefined;
}

/** A byte range of a local file, both ends included. */
interface Section extends Pick<LocalFile, 'path' | 'rate'> {
  readonly start: number;
  readonly end: number;
}

/**
 * Stores a local file under the key. The object appears only when it is complete and the server has verified its
 * SHA-256.
 * @returns false when an existing object was kept
 * @throws S3Error
 */
export async function storeObject(
  bucket: Bucket,
  key: string,
  file: BlobReference & { readonly path: string },
  { replace, rate }: StoreOptions,
): Promise<boolean> {
  const condition = replace ? {} : { IfNoneMatch: '*' };
  if (file.size > partBytes) return storeInParts(bucket, key, { ...file, rate }, condition);
  const ChecksumSHA256 = Buffer.from(file.checksum, 'hex').toString('base64');
  const storing = bucket.servers.send((attempt) =>
    sendSection({ path: file.path, rate, start: 0, end: file.size - 1 }, attempt, async (body) => {
      const command = new PutObjectCommand({ ...bucket.at(key), ...body, ...condition, ChecksumSHA256 });
      return attempt.client.send(command, { abortSignal: attempt.signal });
    }),
  );
  return createdUnlessPresent(storing);
}

function storeInParts(
  bucket: Bucket,
  key: string,
  file: LocalFile,
  condition: { readonly IfNoneMatch?: string },
): Promise<boolean> {
  return createInParts(bucket, key, file, (upload) => sendParts(bucket, upload, file), {
    ChecksumAlgorithm: 'SHA256',
    condition,
  });
}

async function sendParts(bucket: Bucket, upload: Upload, file: LocalFile): Promise<CompletedPart[]> {
  const { path, rate } = file;
  const size = Math.max(partBytes, Math.ceil(file.size / maxParts));
  const whole = createHash('sha256');
  const parts: CompletedPart[] = [];
  for (let start = 0; start < file.size; start += size) {
    const section = { path, rate, start, end: Math.min(start + size, file.size) - 1 };
    const PartNumber = parts.length + 1;
    const partHash = createHash('sha256');
    for await (const chunk of createReadStream(path, { start, end: section.end }) as AsyncIterable<Buffer>) {
      partHash.update(chunk);
      whole.update(chunk);
    }
    const ChecksumSHA256 = partHash.digest('base64');
    const { ETag } = await bucket.servers.send((attempt) =>
      sendSection(section, attempt, async (body) => {
        const command = new UploadPartCommand({ ...upload, ...body, PartNumber, ChecksumSHA256 });
        return attempt.client.send(command, { abortSignal: attempt.signal });
      }),
    );
    parts.push({ PartNumber, ETag, ChecksumSHA256 });
  }
  // The server has verified each part; this verifies the whole file.
  if (whole.digest('hex') !== file.checksum) throw new Error('the received file has changed on the local disk');
  return parts;
}

async function sendSection<T>(
  { path, rate, start, end }: Section,
  { progress }: Attempt,
  send: (body: { readonly Body: Readable | Uint8Array; readonly ContentLength: number }) => Promise<T>,
): Promise<T> {
  if (end < start) return send({ Body: new Uint8Array(), ContentLength: 0 });
  const content = createReadStream(path, { start, end });
  async function* withProgress(): AsyncGenerator<Buffer> {
    for await (const chunk of content as AsyncIterable<Buffer>) {
      await rate?.take(chunk.length);
      progress();
      yield chunk;
    }
  }
  const body = Readable.from(withProgress(), { objectMode: false });
  body.on('error', () => undefined);
  try {
    return await send({ Body: body, ContentLength: end - start + 1 });
  } finally {
    body.destroy();
    content.destroy();
  }
}
