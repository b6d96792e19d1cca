const minuteMs = 60_000;

/** Times before and after a moment that can be shown, by their names in the address. */
export const spans = { '10m': 10 * minuteMs, '1h': 60 * minuteMs, '8h': 480 * minuteMs, '1d': 1_440 * minuteMs };
export type Span = keyof typeof spans;
export const usualSpan: Span = '1h';

export interface AroundSearch {
  /** Undefined: `usualSpan`. */
  readonly span?: Span;
  /** Time of the event in the middle; undefined: the creation of the entry is in the middle. */
  readonly at?: number;
}

/** Reads the parameters of the address; ignores values that it does not know. */
export function aroundSearch(search: object): AroundSearch {
  const { span, at } = search as Readonly<Record<string, unknown>>;
  return { ...(isSpan(span) && span !== usualSpan && { span }), ...(Number(at) > 0 && { at: Number(at) }) };
}

const isSpan = (text: unknown): text is Span => typeof text === 'string' && Object.hasOwn(spans, text);
