import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Dicer } from '@fastify/busboy';
import type { FastifyInstance } from 'fastify';
import type { Upload } from '../../attachments/attach-uploads.js';
import { checkFilename } from '../../attachments/attachment.js';
import type { BlobStore, StagedBlob } from '../../attachments/blob-store.port.js';
import { detectMediaType } from '../../attachments/media-type.js';
import { BoundedBody } from '../../http/request/bounded-body.js';
import { type PartNames, parseHeaderValue, parsePartNames } from '../../http/request/content-disposition.js';
import { sendContinue } from '../../http/request/deferred-continue.js';
import { bodyAborted, bodyTooLarge } from '../../http/request/json-body.js';
import { Fault, quoted } from '../../kernel/fault.js';

export interface MultipartLimits {
  readonly maxFileBytes: number;
  readonly maxRequestBytes: number;
  /** Maximum size of a part that is not a file. */
  readonly maxFieldBytes: number;
  /** Time without data after which a request is aborted. */
  readonly idleMs: number;
}

/** Names of the parts that are read; other parts are skipped. */
export interface FormParts {
  readonly files: string;
  readonly fields: readonly string[];
}

export interface MultipartForm {
  /** Contents of the parts that are not files, by name, as they were sent. */
  readonly fields: ReadonlyMap<string, Uint8Array>;
  readonly uploads: readonly Upload[];
  /** Returns a digest of everything that was read, in base64url. Two forms with the same digest have the same parts. */
  digest(): string;
}

const maxParts = 1_100;

/** The lines of a header by their names in lower case, with one byte per character. */
type PartHeader = Readonly<Record<string, readonly string[] | undefined>>;

/** Leaves the forms sent to the routes of `app` unread: the handlers read them from the raw request as they arrive. */
export function leaveFormsToHandlers(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('multipart/form-data', (request, _payload, done) => {
    sendContinue(request.raw);
    done(null);
  });
}

interface FormDeps {
  readonly blobs: BlobStore;
  readonly multipart: MultipartLimits;
}

/**
 * Reads a multipart body and runs `use` with it. File parts are staged in the blob store as they arrive; fields are
 * held in memory, even those with a file name. Afterwards, every file that `use` did not commit is removed; when
 * reading or `use` fails, nothing of the body remains.
 * @throws Fault invalid `multipart.…`, `attachment.…`; too-large; timeout `request.timeout`
 */
export async function withMultipartForm<T>(
  request: IncomingMessage,
  { blobs, multipart }: FormDeps,
  parts: FormParts,
  use: (form: MultipartForm) => Promise<T>,
): Promise<T> {
  const reading = new FormReading(request, parts, blobs, multipart);
  try {
    return await use(await reading.finish());
  } finally {
    await reading.discard();
  }
}

class FormReading {
  private readonly fields = new Map<string, Uint8Array>();
  private readonly staged: StagedBlob[] = [];
  /** Uploads in the order of their parts; undefined for a part that is not read yet, or empty. */
  private readonly uploads: (Upload | undefined)[] = [];
  /** Promises that settle when a part is read, in the order of the parts. */
  private readonly parts: Promise<void>[] = [];
  private readonly open = new Set<Readable>();
  private partCount = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly wanted: FormParts,
    private readonly blobs: BlobStore,
    private readonly limits: MultipartLimits,
  ) {}

  async finish(): Promise<MultipartForm> {
    const { maxRequestBytes } = this.limits;
    if (Number(this.request.headers['content-length'] ?? 0) > maxRequestBytes)
      throw bodyTooLarge('maxRequestSize', maxRequestBytes);
    const parser = this.parser();
    const bounded = new BoundedBody(maxRequestBytes, this.limits.idleMs);
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (error: unknown) => reject(error);
        parser.on('part', (stream) => this.readPart(stream, fail));
        parser.on('error', (error: unknown) => fail(malformed('it ends before its last boundary', error)));
        // Also reads the bytes after the last boundary, so that the connection can be reused.
        parser.on('finish', () => {
          bounded.unpipe(parser);
          if (bounded.readableEnded) resolve();
          else bounded.once('end', resolve).resume();
        });
        bounded.on('error', fail);
        this.request.on('error', (error) => fail(bodyAborted(error)));
        this.request.on('close', () => {
          if (!this.request.complete) fail(bodyAborted(undefined));
        });
        this.request.pipe(bounded).pipe(parser);
      });
      await Promise.all(this.parts);
      const { fields } = this;
      const uploads = this.uploads.filter((upload) => upload !== undefined);
      return { fields, uploads, digest: () => digestOf(fields, uploads) };
    } catch (error) {
      this.request.unpipe(bounded);
      bounded.unpipe(parser);
      bounded.destroy();
      for (const stream of this.open) stream.destroy();
      throw error;
    }
  }

  async discard(): Promise<void> {
    await Promise.allSettled(this.parts);
    // A failure does not change the result of the request, because the next start removes the files that remain.
    for (const blob of this.staged) await this.blobs.discard(blob).catch(() => undefined);
  }

  /** Returns a parser that does not decode the headers of parts. Parsers of whole forms decode file names wrongly. */
  private parser(): Dicer {
    const boundary = parseHeaderValue(this.request.headers['content-type'] ?? '').parameters.get('boundary');
    try {
      return new Dicer({ boundary, autoDestroy: false } as Dicer.Config);
    } catch (error) {
      throw malformed('its content type has no valid boundary', error);
    }
  }

  /** Reads a part once its header has arrived. */
  private readPart(stream: Readable, fail: (error: unknown) => void): void {
    stream.on('error', () => undefined);
    this.partCount += 1;
    if (this.partCount > maxParts) {
      fail(malformed(`it has more than ${maxParts} parts`));
      return;
    }
    stream.once('header', (header: PartHeader) => {
      const names = parsePartNames(header['content-disposition']?.[0] ?? '');
      if (!names) {
        stream.resume();
        return;
      }
      const part = this.takePart(names, stream);
      part.catch(fail);
      this.parts.push(part);
    });
  }

  private async takePart({ name, filename }: PartNames, stream: Readable): Promise<void> {
    this.open.add(stream);
    stream.once('close', () => this.open.delete(stream));
    if (name === undefined) throw malformed('a part has no name');
    if (name === this.wanted.files) await this.takeFile(stream, filename);
    else if (!this.wanted.fields.includes(name)) stream.resume();
    else if (this.fields.has(name)) throw malformed(`it has two parts ${quoted(name)}`);
    else {
      this.fields.set(name, new Uint8Array());
      this.fields.set(name, await readBounded(stream, this.limits.maxFieldBytes));
    }
  }

  private async takeFile(stream: Readable, filename: string | undefined): Promise<void> {
    if (filename) checkFilename(filename);
    const position = this.uploads.push(undefined) - 1;
    const blob = await this.blobs.stage(stream, this.limits.maxFileBytes);
    this.staged.push(blob);
    // Browsers send an empty part without a file name for a file field that the user left empty.
    if (!filename && blob.size === 0) return;
    if (filename === undefined) throw malformed(`a part ${quoted(this.wanted.files)} has no file name`);
    checkFilename(filename);
    this.uploads[position] = { filename, blob, contentType: await detectMediaType(blob.head, filename) };
  }
}

function digestOf(fields: ReadonlyMap<string, Uint8Array>, uploads: readonly Upload[]): string {
  const digest = (content: Uint8Array | string) => createHash('sha256').update(content).digest('base64url');
  const parts = [
    ...Array.from(fields, ([name, content]) => JSON.stringify([name, digest(content)])),
    ...uploads.map(({ filename, blob }) => JSON.stringify([filename, blob.checksum])),
  ];
  // The order of the parts has no meaning.
  return digest(JSON.stringify(parts.sort()));
}

async function readBounded(stream: Readable, maxBytes: number): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw bodyTooLarge('maxEntrySize', maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function malformed(problem: string, cause?: unknown): Fault {
  return new Fault('invalid', 'multipart.malformed', `The multipart body is malformed: ${problem}.`, { cause });
}
