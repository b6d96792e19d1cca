import { Fault, quoted } from '../../kernel/fault.js';
import { inBytes, limitFault } from '../../kernel/limit.js';

const maxDepth = 64;

/** Returns the fault for a body that ended early. It is only logged, since the client has disconnected. */
export function bodyAborted(cause: unknown): Fault {
  return new Fault('invalid', 'request.aborted', 'The client closed the connection before the end of the body.', {
    cause,
  });
}

const boundedBy = {
  maxEntrySize: 'each entry without its files, and each JSON body, regardless of the client',
  maxRequestSize: 'each request with all its files, regardless of the client',
} as const;

export function bodyStalled(idleMs: number): Fault {
  return limitFault('timeout', 'request.timeout', {
    refused: 'No more data of the body arrived; nothing was stored.',
    limit: { amount: `${idleMs / 1_000} s without data`, setting: undefined, countedFor: 'each request' },
    advice: 'Send the request again.',
  });
}

/** Returns the fault for a body, or a part of one, that is larger than the setting allows. */
export function bodyTooLarge(setting: keyof typeof boundedBy, maxBytes: number): Fault {
  return limitFault('too-large', 'request.too-large', {
    refused: 'The body is too large; nothing was stored.',
    limit: { amount: inBytes(maxBytes), setting, countedFor: boundedBy[setting] },
  });
}

/**
 * Parses JSON in UTF-8; undefined when there are no bytes.
 * @throws Fault invalid `request.malformed-json`, `request.too-deep`, `request.bad-text`, `request.inexact-number`
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
  checkNumbers(value, text);
  return value;
}

/** Limits the nesting of the text before it is parsed, because the parser is recursive. */
function checkDepth(text: string): void {
  if (!hasOpenings(text, maxDepth)) return;
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
        throw limitFault('invalid', 'request.too-deep', {
          refused: 'The body is nested too deeply.',
          limit: {
            amount: `${maxDepth} levels`,
            setting: undefined,
            countedFor: 'each body, regardless of the client',
          },
        });
      }
    } else if (char === 0x7d || char === 0x5d) depth -= 1;
  }
}

/**
 * Returns whether JSON has more than `max` opening brackets, inside strings or not. Fast if most of the JSON is one
 * string.
 */
function hasOpenings(text: string, max: number): boolean {
  let count = 0;
  for (const bracket of ['{', '[']) {
    for (let at = text.indexOf(bracket); at >= 0 && count <= max; at = text.indexOf(bracket, at + 1)) count += 1;
  }
  return count > max;
}

/** Refuses strings that are not valid text. In valid JSON in valid UTF-8, only an escape can produce them. */
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

/** Refuses numbers that are too large for their type; the parser would turn them into infinity. */
function checkNumbers(value: unknown, text: string): void {
  if (!/\d(?:e\+?\d\d|\d{200})/i.test(text)) return;
  const visit = (item: unknown, path: string): void => {
    if (typeof item === 'number' && !Number.isFinite(item)) {
      throw new Fault(
        'invalid',
        'request.inexact-number',
        `${path === '' ? 'The body' : quoted(path.slice(1), 200)} is a number beyond ±1.8e308. Send a smaller number, or the text of the number where a string is accepted.`,
      );
    }
    if (typeof item !== 'object' || item === null) return;
    for (const [key, member] of Object.entries(item)) visit(member, `${path}.${key}`);
  };
  visit(value, '');
}
