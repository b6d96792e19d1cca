import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { type CompletedPart, PutObjectCommand, UploadPartCommand } from '@aws-sdk/client-s3';
import type { BlobReference } from '../../attachments/blob-store.port.js';
import type { ByteRate } from '../../kernel/byte-rate.js';
import { type Bucket, createdUnlessPresent } from './bucket.js';
import { createInParts, maxParts, type Upload } from './create-in-parts.js';
import type { Attempt } from './s3-servers.js';

/** Larger files are sent in parts: after a failure, the part is repeated and not the whole. */
const partBytes = 16_777_216;

export interface StoreOptions {
  /** Whether to replace an object that is there; otherwise it stays. */
  readonly replace: boolean;
  /** Undefined: it is sent as fast as the server takes it. */
  readonly rate?: ByteRate;
}

/** The bytes of a local file, both ends included. */
interface Section {
  readonly path: string;
  readonly rate: ByteRate | undefined;
  readonly start: number;
  readonly end: number;
}

/**
 * Stores a local file under the key. The object appears when it is complete and the server has found that its content has
 * the SHA-256 that was announced; when anything fails before, nothing appears.
 * @returns false when there was one, and it stayed
 * @throws S3Error
 */
export async function storeObject(
  bucket: Bucket,
  key: string,
  path: string,
  file: BlobReference,
  { replace, rate }: StoreOptions,
): Promise<boolean> {
  const condition = replace ? {} : { IfNoneMatch: '*' };
  if (file.size > partBytes) return storeInParts(bucket, key, { path, rate }, file, condition);
  const ChecksumSHA256 = Buffer.from(file.checksum, 'hex').toString('base64');
  const storing = bucket.servers.send((attempt) =>
    sendSection({ path, rate, start: 0, end: file.size - 1 }, attempt, async (body) => {
      const command = new PutObjectCommand({ ...bucket.at(key), ...body, ...condition, ChecksumSHA256 });
      return attempt.client.send(command, { abortSignal: attempt.signal });
    }),
  );
  return createdUnlessPresent(storing);
}

function storeInParts(
  bucket: Bucket,
  key: string,
  local: Pick<Section, 'path' | 'rate'>,
  file: BlobReference,
  condition: { readonly IfNoneMatch?: string },
): Promise<boolean> {
  return createInParts(bucket, key, file, (upload) => sendParts(bucket, upload, local, file), {
    ChecksumAlgorithm: 'SHA256',
    condition,
  });
}

async function sendParts(
  bucket: Bucket,
  upload: Upload,
  local: Pick<Section, 'path' | 'rate'>,
  file: BlobReference,
): Promise<CompletedPart[]> {
  const size = Math.max(partBytes, Math.ceil(file.size / maxParts));
  const whole = createHash('sha256');
  const parts: CompletedPart[] = [];
  for (let start = 0; start < file.size; start += size) {
    const section = { ...local, start, end: Math.min(start + size, file.size) - 1 };
    const PartNumber = parts.length + 1;
    const partHash = createHash('sha256');
    for await (const chunk of createReadStream(local.path, { start, end: section.end }) as AsyncIterable<Buffer>) {
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
  // The server has checked the parts, and this is what they make.
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
