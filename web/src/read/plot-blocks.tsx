import i18next from 'i18next';
import { lazy, type ReactNode, type RefObject, Suspense, useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { plotFileName, plotLines } from '../../../packages/control-system/plot-file-name.ts';
import type { Attachment } from '../api/types.ts';
import { useHasHistory } from '../session/me.ts';
import { fileUrl } from './file-list.tsx';
import type { PlotBlockProps, PlotSummaryProps, PlottedEntry } from './plot-block.tsx';

const load = async () => {
  const [loaded] = await Promise.all([
    import('./plot-block.tsx').catch(() => undefined),
    i18next.loadNamespaces(['plot', 'device']),
  ]);
  return loaded;
};
// The lines of the plot are still shown: an outage must not hide the entry.
const PlotBlock = lazy(async () => ({ default: (await load())?.PlotBlock ?? ((_: PlotBlockProps) => null) }));
const PlotSummary = lazy(async () => ({ default: (await load())?.PlotSummary ?? ((_: PlotSummaryProps) => null) }));

interface Block {
  readonly lines: readonly string[];
  readonly text: HTMLElement;
  readonly place: HTMLElement;
}

interface ShownPlots {
  /** Undefined: the text has no plots. `draft`: it is not sent yet. */
  readonly plots: PlottedEntry | 'draft' | undefined;
  readonly on: 'screen' | 'paper';
}

/**
 * Shows the plots of an entry at their blocks in a rendered text. Without samples, a block is shown as ordinary code on
 * paper, and on the screen if there is no archiver.
 */
export function usePlotBlocks(
  text: RefObject<HTMLElement | null>,
  html: unknown,
  { plots: entry, on }: ShownPlots,
): ReactNode {
  const hasArchiver = useHasHistory();
  const [blocks, setBlocks] = useState<readonly Block[]>([]);
  // A layout effect, so that the blocks exist before the page is printed.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has other blocks
  useLayoutEffect(() => {
    if (!text.current || !entry) return;
    const found = findBlocks(text.current);
    // When the text grows, its earlier blocks stay.
    setBlocks((known) => [...known.filter(({ place }) => place.isConnected), ...found]);
  }, [html, entry === undefined]);
  if (!entry) return null;
  return blocks.map(({ lines, text: shown, place }, at) => {
    const name = plotFileName(lines);
    const key = `${at} ${name}`;
    if (entry === 'draft') {
      const summary = <PlotSummary lines={lines} text={shown} />;
      return hasArchiver && createPortal(<Suspense>{summary}</Suspense>, place, key);
    }
    const file = entry.attachments.find(({ filename }) => filename === name);
    if (!file && !hasArchiver) return null;
    if (on === 'paper') return file && createPortal(<PlotPicture file={file} text={shown} />, place, key);
    return createPortal(
      <Suspense>
        <PlotBlock {...{ lines, entry, file }} text={shown} />
      </Suspense>,
      place,
      key,
    );
  });
}

/** The stored picture, in place of the lines of the block. */
function PlotPicture({ file, text }: { readonly file: Attachment; readonly text: HTMLElement }) {
  useLayoutEffect(() => {
    text.hidden = true;
  }, [text]);
  return <img src={fileUrl(file, true)} alt={file.filename} />;
}

/** Finds the blocks that have no place for their plot yet, and adds one to each. */
function findBlocks(text: HTMLElement): Block[] {
  return [...text.querySelectorAll<HTMLElement>(':scope > pre')].flatMap((code) => {
    const content = code.querySelector('code')?.textContent ?? '';
    if (code.querySelector(':scope > .info')?.textContent !== 'plot') return [];
    const block = document.createElement('div');
    const [shown, place] = [document.createElement('div'), document.createElement('div')];
    code.replaceWith(block);
    block.append(shown, place);
    shown.append(code);
    return [{ lines: plotLines(content), text: shown, place }];
  });
}
