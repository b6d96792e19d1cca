import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { Fault, quoted } from '../../kernel/fault.js';

/** A response whose body has not been read yet. */
export interface ReceivedContent {
  readonly content: Readable;
  readonly mediaType: string | undefined;
}

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/**
 * Returns the body of a response without its content coding, because some proxies compress responses without being
 * asked.
 * @throws Fault invalid `import.source-invalid`
 */
export function decodedContent(response: IncomingMessage, path: string): Readable {
  const coding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding === '' || coding === 'identity') return response;
  const createDecoder = Object.hasOwn(decoders, coding) ? decoders[coding as keyof typeof decoders] : undefined;
  if (createDecoder) return pipeline(response, createDecoder(), () => undefined);
  response.destroy();
  const message = `The source encodes its response to ${quoted(path)} as ${quoted(coding)}, which is not known.`;
  throw new Fault('invalid', 'import.source-invalid', message);
}
