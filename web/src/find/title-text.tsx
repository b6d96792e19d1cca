import type { Span } from '../api/types.ts';
import { Highlighted } from './highlight.tsx';

/** Longer names may break: they would not fit a phone. */
const maxWhole = 28;

interface TitleTextProps {
  readonly text: string;
  readonly spans?: readonly Span[] | undefined;
}

/** A title in which the names of devices, such as `SR:C03-MG:G02A{Quad:1}`, stay whole. */
export function TitleText({ text, spans = [] }: TitleTextProps) {
  let at = 0;
  return text.split(/(\S*[:{]\S*[\w}])/).map((part, index) => {
    const [start, end] = [at, at + part.length];
    at = end;
    const own = spans
      .filter(([from, to]) => to > start && from < end)
      .map(([from, to]): Span => [Math.max(from, start) - start, Math.min(to, end) - start]);
    const content = <Highlighted key={start} text={part} spans={own} />;
    // Text between the names may break, and keeps its spaces.
    const isName = index % 2 === 1;
    if (!isName || part.length > maxWhole) return content;
    return (
      <span key={start} className="whole">
        {content}
      </span>
    );
  });
}
