import type { Readable } from 'node:stream';
import { Fault } from '../../kernel/fault.js';
import { inBytes, limitFault } from '../../kernel/limit.js';

const maxDepth = 64;

/**
 * Reads a JSON body; undefined when it is empty.
 * @throws Fault too-large `request.too-large`; invalid `request.malformed-json`, `request.too-deep`, `request.bad-text`
 */
export async function readJsonBody(
  body: Readable,
  maxBytes: number,
  contentLength: number | undefined,
): Promise<unknown> {
  if (contentLength !== undefined && contentLength > maxBytes) throw bodyTooLarge('maxEntrySize', maxBytes);
  return parseJson(await readBytes(body, maxBytes));
}

/** Reads a body. One that is too large is not destroyed: the client reads the response on the same connection. */
function readBytes(body: Readable, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const read = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= maxBytes) return;
      settle();
      body.pause();
      reject(bodyTooLarge('maxEntrySize', maxBytes));
    };
    const end = () => {
      settle();
      resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    };
    const abort = (cause?: unknown) => {
      settle();
      reject(bodyAborted(cause));
    };
    const settle = () => body.off('data', read).off('end', end).off('error', abort).off('close', abort);
    body.on('data', read).on('end', end).on('error', abort).on('close', abort);
    if (body.destroyed) abort(body.errored);
  });
}

/** The fault for a body that ended early; it is only logged, since the client has disconnected. */
export function bodyAborted(cause: unknown): Fault {
  return new Fault('invalid', 'request.aborted', 'The client closed the connection before the end of the body.', {
    cause,
  });
}

const boundedBy = {
  maxEntrySize: 'each entry without its files, and each JSON body, of any client',
  maxRequestSize: 'each request with all its files, of any client',
} as const;

/** The fault for a body, or a part of one, that is larger than the setting allows. */
export function bodyTooLarge(setting: keyof typeof boundedBy, maxBytes: number): Fault {
  return limitFault('too-large', 'request.too-large', {
    refused: 'The body is too large; nothing was stored.',
    limit: { amount: inBytes(maxBytes), setting, countedFor: boundedBy[setting] },
  });
}

/**
 * Parses JSON in UTF-8; undefined when there are no bytes.
 * @throws Fault invalid `request.malformed-json`, `request.too-deep`, `request.bad-text`
 */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    checkDepth(text);
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault('invalid', 'request.malformed-json', 'The body is not valid JSON in UTF-8.', { cause: error });
  }
  checkStrings(value, text);
  return value;
}

/** Limits the nesting of the text before it is parsed, which would recurse into it. */
function checkDepth(text: string): void {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at += 1;
      else if (char === 0x22) inString = false;
    } else if (char === 0x22) inString = true;
    else if (char === 0x7b || char === 0x5b) {
      depth += 1;
      if (depth > maxDepth) {
        throw new Fault('invalid', 'request.too-deep', `The body is nested more than ${maxDepth} levels deep.`);
      }
    } else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
}

/** Refuses strings that no text can contain. In valid JSON in valid UTF-8 only an escape can produce them. */
function checkStrings(value: unknown, text: string): void {
  if (!/\\u(?:0000|d[89a-f])/i.test(text)) return;
  const check = (string: string) => {
    if (string.includes('\0') || !string.isWellFormed()) {
      throw new Fault(
        'invalid',
        'request.bad-text',
        'A string contains a NUL character or an unpaired surrogate. Remove it.',
      );
    }
  };
  const visit = (item: unknown): void => {
    if (typeof item === 'string') check(item);
    else if (Array.isArray(item)) item.forEach(visit);
    else if (typeof item === 'object' && item !== null) {
      for (const [key, member] of Object.entries(item)) {
        check(key);
        visit(member);
      }
    }
  };
  visit(value);
}
