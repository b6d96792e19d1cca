import { Fault, quoted } from '../../kernel/fault.js';

/** Range of bytes of a file that a request contains, both ends included. */
export interface ContentRange {
  readonly start: number;
  readonly end: number;
  /** Size of the whole file, in bytes. */
  readonly total: number;
}

/**
 * Parses the header `Content-Range` of a part; undefined when the body is the whole file. With a star instead of the
 * range, returns `query`: the request only asks how much has arrived.
 * @throws Fault invalid `draft.bad-range`
 */
export function parseContentRange(header: string | undefined): ContentRange | 'query' | undefined {
  if (header === undefined) return undefined;
  if (/^bytes \*\/\d{1,15}$/.test(header)) return 'query';
  const [, first, last, all] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(header) ?? [];
  const [start, end, total] = [Number(first), Number(last), Number(all)];
  if (start <= end && end < total) return { start, end, total };
  throw badRange(`the header ${quoted(header)} must look like bytes 0-1048575/5242880`);
}

export function badRange(problem: string): Fault {
  return new Fault('invalid', 'draft.bad-range', `The part was not stored: ${problem}.`);
}
