import { parseJson } from '../../http/request/json-body.js';
import { Fault } from '../../kernel/fault.js';
import { decodeUtf8OrWindows1252 } from '../../kernel/text-encoding.js';
import type { MultipartForm } from './multipart-form.js';

/**
 * Returns the text of a part, trimmed; undefined when the part is absent or blank. Clients send plain text, a JSON
 * string, or a JSON object with a `name`.
 * @throws Fault invalid `multipart.malformed` when it is none of these, `request.bad-text` when it contains NUL
 */
export function parseTextPart(form: MultipartForm, name: string): string | undefined {
  const part = form.fields.get(name);
  if (part === undefined || part.length === 0) return undefined;
  if (part.includes(0)) {
    throw new Fault('invalid', 'request.bad-text', `The part “${name}” contains a NUL character. Remove it.`);
  }
  const value = parseTextOrJson(part);
  const text = typeof value === 'object' && value !== null && 'name' in value ? value.name : value;
  if (typeof text === 'string') return text.trim() || undefined;
  throw new Fault(
    'invalid',
    'multipart.malformed',
    `The part “${name}” must be a text or a JSON object with a “name”.`,
  );
}

function parseTextOrJson(part: Uint8Array): unknown {
  const text = decodeUtf8OrWindows1252(part);
  if (!/^\s*["{]/.test(text)) return text;
  try {
    return parseJson(part);
  } catch {
    // Plain text may also begin with a quotation mark or a brace.
    return text;
  }
}
