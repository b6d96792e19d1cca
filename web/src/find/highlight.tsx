import type { ReactNode } from 'react';
import type { Span } from '../api/types.ts';

interface HighlightedProps {
  readonly text: string;
  /** Positions of matches, in order. */
  readonly spans?: readonly Span[] | undefined;
}

/** Text with its matches marked. */
export function Highlighted({ text, spans = [] }: HighlightedProps) {
  if (spans.length === 0) return text;
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    if (start < at) continue;
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  parts.push(text.slice(at));
  return parts;
}
