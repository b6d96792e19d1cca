import { useEffect, useRef } from 'react';
import { renderForComparison } from './markdown.ts';
import './prose.css';
import { type DiffMarks, diffRendered } from './rendered-diff.ts';
import { WideBlocks } from './wide-blocks.ts';

interface RenderedTextProps {
  readonly from: string;
  readonly to: string;
  readonly marks: DiffMarks;
}

/** Two versions of a text with their markup rendered, and what differs marked in it. */
export function RenderedText({ from, to, marks }: RenderedTextProps) {
  const place = useRef<HTMLDivElement>(null);
  const { removed, added } = marks;
  useEffect(() => {
    const text = diffRendered(rendered(from), rendered(to), { removed, added });
    const wide = new WideBlocks();
    wide.add(text);
    place.current?.replaceChildren(text);
    return () => wide.close();
  }, [from, to, removed, added]);
  return <div ref={place} className="diff-text rendered prose" dir="auto" />;
}

function rendered(source: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = renderForComparison(source);
  return template.content;
}
