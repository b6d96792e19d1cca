import { useNavigate } from '@tanstack/react-router';
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { linkDeviceNames } from '../devices/device-names.ts';
import { addCopyButtons } from './copy-code.ts';
import { growText } from './grow-text.ts';
import { markWords } from './mark-words.ts';
import { renderMarkdown } from './markdown.ts';
import { markMissingImages } from './missing-images.ts';
import type { PlottedEntry } from './plot-block.tsx';
import { usePlotBlocks } from './plot-blocks.tsx';
import { enableTaskBoxes, type TickTask } from './task-boxes.ts';
import { WideBlocks } from './wide-blocks.ts';

interface ProseProps {
  readonly source: string;
  /** Names of devices in it, which lead to their pages. */
  readonly devices?: readonly string[] | undefined;
  /** The entry of the text, whose plots are drawn in it. */
  readonly plots?: PlottedEntry | undefined;
  /** Whether it is on paper, where plots are pictures. */
  readonly isPrint?: boolean;
  /** The search whose words are marked. */
  readonly query?: string | undefined;
  /** Opens an attachment that is shown in the text. */
  readonly onImage?: (attachmentId: string) => void;
  /** Ticks a task; undefined: the reader may not. */
  readonly onTick?: TickTask | undefined;
}

/**
 * A text with its markup rendered. Links to entries stay in the page. When the text changes, the blocks before the
 * change stay.
 */
export function Prose({ source, devices, plots, isPrint, query, onImage, onTick }: ProseProps) {
  const navigate = useNavigate();
  const place = useRef<HTMLDivElement>(null);
  const html = useMemo(() => renderMarkdown(source), [source]);
  const first = useGrowingText(place, html);
  const plotBlocks = usePlotBlocks(place, html, { plots, on: isPrint ? 'paper' : 'screen' });
  // Runs before the words of a search are marked, because linking a name would remove a mark in it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has other names
  useEffect(() => {
    if (place.current) linkDeviceNames(place.current, devices);
  }, [html]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has other code
  useEffect(() => {
    if (!place.current) return undefined;
    addCopyButtons(place.current);
    const wide = new WideBlocks();
    wide.add(place.current);
    return () => wide.close();
  }, [html]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has other places
  useEffect(() => (place.current ? markWords(place.current, query) : undefined), [html, query]);
  useEffect(() => (place.current ? markMissingImages(place.current) : undefined), []);
  const tick = useRef(onTick);
  tick.current = onTick;
  const isTickable = onTick !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has other boxes
  useEffect(() => {
    if (!place.current || !isTickable) return undefined;
    return enableTaskBoxes(place.current, async (line) => (await tick.current?.(line)) ?? false);
  }, [html, isTickable]);
  const onClick = (event: React.MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const target = event.target as Element;
    const id = target.closest<HTMLElement>('a[href^="/entries/"]')?.getAttribute('href')?.slice('/entries/'.length);
    if (id !== undefined && /^\d+$/.test(id)) {
      event.preventDefault();
      void navigate({ to: '/entries/$entryId', params: { entryId: id }, search: (search) => search });
    }
    const device = target.closest<HTMLElement>('a[data-device]')?.dataset.device;
    if (device !== undefined) {
      event.preventDefault();
      void navigate({ to: '/devices/$name', params: { name: device }, search: {} });
    }
    const image = target.closest<HTMLElement>('img[data-attachment]');
    if (image?.dataset.attachment !== undefined) onImage?.(image.dataset.attachment);
  };
  return (
    <>
      {/** biome-ignore lint/a11y/noStaticElementInteractions: the links in it are the controls */}
      {/** biome-ignore lint/a11y/useKeyWithClickEvents: links turn Enter into clicks; images are in the gallery too */}
      {/** biome-ignore lint/security/noDangerouslySetInnerHtml: rendered by the one policy of the page */}
      <div ref={place} className="prose" dir="auto" onClick={onClick} dangerouslySetInnerHTML={first} />
      {plotBlocks}
    </>
  );
}

/** Shows a text that may change later; returns its initial HTML. */
function useGrowingText(place: RefObject<HTMLElement | null>, html: string): { readonly __html: string } {
  const [first] = useState({ __html: html });
  const shown = useRef(html);
  useLayoutEffect(() => {
    if (place.current && shown.current !== html) growText(place.current, shown.current, html);
    shown.current = html;
  }, [place, html]);
  return first;
}
