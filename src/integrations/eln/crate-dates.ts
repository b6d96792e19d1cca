import { type Loose, type Remark, textOf, timeOf } from '../../imports/entry-values.js';
import { quoted } from '../../kernel/fault.js';

/** Dates in which day and month cannot be told apart. */
const ambiguous = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b/;
const withoutZone = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.]\d+)?)?$/;
/** Day, month, year and time, as one program writes them. */
const dayFirst = /^(\d\d):(\d\d):(\d\d):(\d\d):(\d\d):(\d\d)$/;

/** Returns milliseconds since the epoch; undefined when a value is no date. A time without a zone is one in UTC. */
export function parseDate(value: unknown): number | undefined {
  const text = textOf(value)?.trim();
  if (text === undefined || ambiguous.test(text)) return undefined;
  if (withoutZone.test(text)) return timeOf(`${text.replace(' ', 'T')}Z`);
  const [, day, month, year, hour, minute, second] = dayFirst.exec(text) ?? [];
  if (day !== undefined) return timeOf(`20${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  // Offsets without a colon are common.
  return timeOf(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
}

/** Calls `remark` for each date of a node that cannot be read. */
export function noteUnreadDates(node: Loose, remark: Remark): void {
  for (const name of ['dateCreated', 'datePublished', 'dateModified']) {
    const text = textOf(node[name])?.trim() ?? '';
    if (text !== '' && parseDate(text) === undefined) remark(`Its ${name} cannot be read as a date: ${quoted(text)}.`);
  }
}

/** Returns when a node was created; undefined when it does not say. */
export function dateOf(node: Loose): number | undefined {
  return parseDate(node.dateCreated) ?? parseDate(node.datePublished) ?? parseDate(node.dateModified);
}
