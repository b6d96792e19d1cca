import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { BlobReference, ByteRange } from '../../attachments/blob-store.port.js';
import { withTimeout } from '../../kernel/with-timeout.js';
import { DamagedFile } from '../verified-blobs.js';
import { isMissingKey, isPreconditionFailed, S3Error, toS3Error } from './s3-errors.js';
import type { Attempt, S3Servers } from './s3-servers.js';

/** Number of keys per list request. Decoding a longer list would block the event loop. */
const pageSize = 200;
/** Maximum time until a new object can be read. */
const readableWithinMs = 3_000;
const pauseMs = 100;

/** Metadata of an object, available before its content. */
export interface FoundObject {
  /** Version, which changes whenever the object changes. */
  readonly version: string;
  /** Size in bytes. */
  readonly size: number;
}

export interface OpenObject extends FoundObject {
  /** Yields the requested bytes, then closes the connection. @throws S3Error when the content ends early */
  content(): AsyncGenerator<Buffer>;
  close(): void;
}

interface StoredText {
  readonly text: string;
  readonly etag: string;
}

interface CreateTextOptions {
  readonly isRepeated?: boolean;
  /** Object that may be replaced: none (false), any (true), or only the one with this ETag. */
  readonly replaces?: boolean | string;
}

/** Objects of a bucket below a prefix. Keys are relative to the prefix. */
export class Bucket {
  readonly name: string;
  readonly prefix: string;

  constructor(readonly servers: S3Servers) {
    this.name = servers.options.bucket;
    this.prefix = servers.options.prefix;
  }

  at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.name, Key: this.prefix + key };
  }

  /** Returns the metadata of an object; undefined if there is none. */
  async find(key: string): Promise<FoundObject | undefined> {
    try {
      const found = await this.servers.send(({ client, signal }) =>
        client.send(new HeadObjectCommand(this.at(key)), { abortSignal: signal }),
      );
      return { version: versionOf(found), size: found.ContentLength ?? 0 };
    } catch (error) {
      if (error instanceof S3Error && error.status === 404) return undefined;
      throw error;
    }
  }

  /** @throws S3Error NoSuchKey */
  async open(key: string, range?: ByteRange): Promise<OpenObject> {
    const Range = range && `bytes=${range.start}-${range.end}`;
    const found = await this.servers.send(
      ({ client, signal }) => client.send(new GetObjectCommand({ ...this.at(key), Range }), { abortSignal: signal }),
      { isDownload: true },
    );
    const body = found.Body as Readable;
    // Handles a connection that breaks before the first read.
    body.on('error', () => undefined);
    const length = found.ContentLength ?? 0;
    const total = /\/(\d+)$/.exec(found.ContentRange ?? '')?.[1];
    const idleMs = this.servers.options.requestTimeoutMs;
    return {
      version: versionOf(found),
      size: total === undefined ? length : Number(total),
      content: () => readBody(body, length, idleMs),
      close: () => body.destroy(),
    };
  }

  /** Returns the text of an object of at most 1,024 bytes; undefined if there is none. */
  async readText(key: string, options?: { readonly isRepeated: boolean }): Promise<string | undefined> {
    return (await this.readVersion(key, options))?.text;
  }

  /** Returns the text of an object of at most 1,024 bytes, and its ETag; undefined if there is none. */
  async readVersion(key: string, { isRepeated = true } = {}): Promise<StoredText | undefined> {
    try {
      return await this.servers.send(
        async ({ client, signal }) => {
          const { Body, ETag } = await client.send(new GetObjectCommand({ ...this.at(key), Range: 'bytes=0-1023' }), {
            abortSignal: signal,
          });
          return { text: (await Body?.transformToString()) ?? '', etag: ETag ?? '' };
        },
        { isRepeated },
      );
    } catch (error) {
      if (isMissingKey(error)) return undefined;
      // The object is empty.
      if (error instanceof S3Error && error.status === 416) return { text: '', etag: '' };
      throw error;
    }
  }

  /**
   * Reads a text that may have been stored just now: some servers report that an object exists before they return it.
   */
  async awaitText(key: string): Promise<string | undefined> {
    for (const endMs = performance.now() + readableWithinMs; ; await sleep(pauseMs)) {
      const text = await this.readText(key);
      if (text || performance.now() > endMs) return text;
    }
  }

  /** Stores a text of at most 1,024 bytes; returns whether `replaces` permitted it. */
  async createText(
    key: string,
    text: string,
    { isRepeated = true, replaces = false }: CreateTextOptions = {},
  ): Promise<boolean> {
    const command = new PutObjectCommand({
      ...this.at(key),
      Body: text,
      ...(replaces === false && { IfNoneMatch: '*' }),
      ...(typeof replaces === 'string' && { IfMatch: replaces }),
      ChecksumSHA256: createHash('sha256').update(text).digest('base64'),
    });
    let attempts = 0;
    const put = ({ client, signal }: Attempt) => {
      attempts += 1;
      return client.send(command, { abortSignal: signal });
    };
    try {
      if (await createdUnlessPresent(this.servers.send(put, { isRepeated }))) return true;
    } catch (error) {
      // There is no object to replace.
      if (isMissingKey(error)) return false;
      throw error;
    }
    // An earlier attempt may have stored the text although its response was lost.
    return attempts > 1 && (await this.awaitText(key)) === text;
  }

  /** @throws DamagedFile when the content does not match the checksum; S3Error NoSuchKey */
  async verify(key: string, { checksum }: BlobReference): Promise<void> {
    const { content } = await this.open(key);
    const hash = createHash('sha256');
    for await (const chunk of content()) hash.update(chunk);
    if (hash.digest('hex') !== checksum) throw new DamagedFile(`the content of ${key} does not match its checksum`);
  }

  /** Removes an object; no effect if there is none. */
  async remove(key: string): Promise<void> {
    await this.servers.send(({ client, signal }) =>
      client.send(new DeleteObjectCommand(this.at(key)), { abortSignal: signal }),
    );
  }

  /** Lists the keys with the prefix `start` in order, in batches. */
  async *list(start: string): AsyncGenerator<string[]> {
    let StartAfter: string | undefined;
    for (;;) {
      const command = new ListObjectsV2Command({
        Bucket: this.name,
        Prefix: this.prefix + start,
        MaxKeys: pageSize,
        StartAfter,
      });
      const { Contents = [], IsTruncated } = await this.servers.send(({ client, signal }) =>
        client.send(command, { abortSignal: signal }),
      );
      const keys = Contents.flatMap(({ Key }) => Key ?? []);
      yield keys.map((key) => key.slice(this.prefix.length));
      StartAfter = keys.at(-1);
      if (!IsTruncated || StartAfter === undefined) return;
    }
  }
}

/** Resolves to whether the object was created; false if it already existed. */
export async function createdUnlessPresent(storing: Promise<unknown>): Promise<boolean> {
  try {
    await storing;
    return true;
  } catch (error) {
    if (isPreconditionFailed(error)) return false;
    throw error;
  }
}

function versionOf({
  ETag,
  LastModified,
  VersionId,
}: Pick<GetObjectCommandOutput, 'ETag' | 'LastModified' | 'VersionId'>) {
  return `${ETag} ${LastModified?.getTime()} ${VersionId}`;
}

async function* readBody(body: Readable, length: number, idleMs: number): AsyncGenerator<Buffer> {
  const chunks = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  let left = length;
  try {
    for (;;) {
      const next = await withTimeout(idleMs, () => chunks.next());
      if (next.done) break;
      left -= next.value.length;
      if (left < 0) break;
      yield next.value;
    }
    // A response that ends early does not prove that the object is damaged.
    if (left !== 0) throw new S3Error('IncompleteBody', undefined, true);
  } catch (error) {
    throw toS3Error(error);
  } finally {
    body.destroy();
  }
}
