import { type Loose, type Remark, textOf, timeOf } from '../../imports/entry-values.js';
import { quoted } from '../../kernel/fault.js';
import { listIn } from './crate-values.js';

/** Dates in which day and month may not be distinguishable. */
const ambiguous = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b/;
/** The basic format of ISO 8601, which would be read as milliseconds. */
const basic = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)?([.]\d+)?(Z|[+-]\d\d:?\d\d)?)?$/;
/** Day, month, year and time in the format of one program. */
const dayFirst = /^(\d\d):(\d\d):(\d\d):(\d\d):(\d\d):(\d\d)$/;
/** A number that is not a year and is too small for an instant. */
const shortNumber = /^\d{1,8}$/;
/** A text with a zone, or a date alone, which is read as UTC anyway. */
const withZone = /^[\d-]+$|(?:Z|[A-Z]{3,4}|[+-]\d\d(?::?\d\d)?)(?: \([^()]*\))?$/;

/** Returns milliseconds since the epoch; undefined when the value is not a date. A time without a zone is in UTC. */
export function parseDate(value: unknown): number | undefined {
  for (const one of listIn(value)) {
    const ms = parseText(textOf(one)?.trim() ?? '');
    if (ms !== undefined) return ms;
  }
  return undefined;
}

function parseText(text: string): number | undefined {
  if (text === '' || ambiguous.test(text)) return undefined;
  if (/^\d{4}$/.test(text)) return timeOf(`${text}-01-01T00:00:00Z`);
  const [, day, month, year, hour, minute, second] = dayFirst.exec(text) ?? [];
  if (day !== undefined) return timeOf(`20${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  const [isBasic, y, mo, d, h = '00', mi = '00', s = '00', fraction = '', zone = 'Z'] =
    basic.exec(text.replace(/^(\d{8})(\d{6})$/, '$1T$2')) ?? [];
  if (isBasic !== undefined) return timeOf(`${y}-${mo}-${d}T${h}:${mi}:${s}${fraction}${withColon(zone)}`);
  if (shortNumber.test(text)) return undefined;
  if (/^-?\d+(?:[.]\d+)?$/.test(text)) return timeOf(text);
  const iso = withColon(text.replace(/^(\d{4}-\d\d-\d\d)[T ]/, '$1T').replace(/(:\d\d),(\d+)/, '$1.$2'));
  return timeOf(withZone.test(iso) ? iso : /^\d{4}-\d\d-\d\dT/.test(iso) ? `${iso}Z` : `${iso} UTC`);
}

/** Adds the colon to an offset, which many programs omit. */
function withColon(text: string): string {
  return text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
}

/** Calls `remark` for each date of a node that cannot be read. */
export function noteUnreadDates(node: Loose, remark: Remark): void {
  for (const name of ['dateCreated', 'datePublished', 'dateModified']) {
    if (listIn(node[name]).length === 0 || parseDate(node[name]) !== undefined) continue;
    const text = textOf(node[name]) ?? JSON.stringify(node[name]);
    if (text.trim() !== '') remark(`Its ${name} cannot be read as a date: ${quoted(text, 200)}.`);
  }
}

/** Returns the creation time of a node or, if it has none, another date; undefined when it has no date. */
export function dateOf(node: Loose): number | undefined {
  return parseDate(node.dateCreated) ?? parseDate(node.datePublished) ?? parseDate(node.dateModified);
}
