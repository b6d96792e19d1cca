import { looksLikeDevice } from '../../../packages/search-language/device-words.ts';
import type { Span } from '../api/types.ts';
import { DeviceLink } from '../devices/device-link.tsx';
import { splitAtNames } from '../devices/device-names.ts';
import { Highlighted } from './highlight.tsx';

/** Longer names may break: they would not fit a phone. */
const maxWhole = 28;

interface TitleTextProps {
  readonly text: string;
  /** Names that lead to the pages of their devices. */
  readonly devices?: readonly string[] | undefined;
  readonly spans?: readonly Span[] | undefined;
}

/** A title in which the names of devices, such as `SR:C03-MG:G02A{Quad:1}`, stay whole. */
export function TitleText({ text, devices = [], spans = [] }: TitleTextProps) {
  let at = 0;
  const isName = devices.length > 0 ? (word: string) => devices.includes(word) : looksLikeDevice;
  return splitAtNames(text, isName).map((part, index) => {
    const [start, end] = [at, at + part.length];
    at = end;
    const own = spans
      .filter(([from, to]) => to > start && from < end)
      .map(([from, to]): Span => [Math.max(from, start) - start, Math.min(to, end) - start]);
    const shown = <Highlighted key={start} text={part} spans={own} />;
    const content = devices.includes(part) ? (
      <DeviceLink key={start} name={part}>
        {shown}
      </DeviceLink>
    ) : (
      shown
    );
    // Text between the names may break, and keeps its spaces.
    if (index % 2 === 0 || part.length > maxWhole) return content;
    return (
      <span key={start} className="whole">
        {content}
      </span>
    );
  });
}
