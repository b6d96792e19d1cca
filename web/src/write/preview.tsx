import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { toggleTask } from '../../../packages/markup/task-lists.ts';
import { apiUrl } from '../api/api.ts';
import { trustedHtml } from '../app/trusted-types.ts';
import { decoded } from '../components/decoded.ts';
import type { Draft } from '../drafts/draft.ts';
import { readDraftFile } from '../drafts/draft-files.ts';
import { markMissingImages } from '../read/missing-images.ts';
import { usePlotBlocks } from '../read/plot-blocks.tsx';
import '../read/prose.css';
import { enableTaskBoxes, type TickTask } from '../read/task-boxes.ts';
import { WideBlocks } from '../read/wide-blocks.ts';
import type { BlockChange } from './preview/block-changes.ts';
import { type BlockRenderer, startBlockRenderer } from './preview/block-renderer.ts';
import { useSettled } from './use-settled.ts';

const delayMs = 150;
const never = Promise.resolve(false);
/** Maximum number of blocks of a text that is laid out as a whole, even outside of the view. */
const manyBlocks = 100;

interface PreviewProps {
  readonly draft: Draft;
  /** Receives the text after a task was ticked; undefined: tasks cannot be ticked. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** The text as readers will see it, shortly after it was typed. */
export function Preview({ draft, onText }: PreviewProps) {
  const { t } = useTranslation('write');
  const place = useRef<HTMLDivElement>(null);
  const text = useSettled(draft.content.text, delayMs);
  const attachmentUrl = useAttachmentUrls(draft);
  const latest = useRef({ text: draft.content.text, onText });
  latest.current = { text: draft.content.text, onText };
  const tick = async (line: number) => {
    // The boxes belong to the text that is shown; a newer text may have others.
    const shown = latest.current.text;
    const changed = shown === text ? toggleTask(shown, line) : undefined;
    if (changed !== undefined) latest.current.onText?.(changed);
    return changed !== undefined;
  };
  const changes = useRendered(place, text, attachmentUrl, onText && tick);
  const plotBlocks = usePlotBlocks(place, changes, { plots: 'draft', on: 'screen' });
  return (
    <>
      {text.trim() === '' && <p className="muted preview-empty">{t('previewEmpty')}</p>}
      <div className="prose" ref={place} />
      {plotBlocks}
    </>
  );
}

/** Updates the blocks of an element when the text changes; returns the number of changes. */
function useRendered(
  place: React.RefObject<HTMLDivElement | null>,
  text: string,
  attachmentUrl: (id: string) => string,
  tick: TickTask | undefined,
): number {
  const [changes, setChanges] = useState(0);
  const renderer = useRef<BlockRenderer>(undefined);
  const latest = useRef({ text, tick });
  latest.current = { text, tick };
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    element.replaceChildren();
    let disable: (() => void) | undefined;
    const wide = new WideBlocks();
    const started = startBlockRenderer((change) => {
      const blocks = render(trustedHtml(change.html.join('')), attachmentUrl);
      wide.add(blocks);
      applyChange(element, change, blocks);
      setChanges((count) => count + 1);
      element.classList.toggle('long', element.childElementCount > manyBlocks);
      disable?.();
      disable = latest.current.tick && enableTaskBoxes(element, (line) => latest.current.tick?.(line) ?? never);
    });
    const unmark = markMissingImages(element);
    renderer.current = started;
    started.render(latest.current.text);
    return () => {
      started.close();
      wide.close();
      unmark();
      disable?.();
    };
  }, [place, attachmentUrl]);
  useEffect(() => renderer.current?.render(text), [text]);
  return changes;
}

function applyChange(place: HTMLElement, { start, removed }: BlockChange, blocks: DocumentFragment): void {
  const former = [...place.children].slice(start, start + removed);
  const next = place.children[start + removed] ?? null;
  for (const one of former) one.remove();
  place.insertBefore(blocks, next);
}

/** Returns the rendered text. Nothing in it is loaded until the addresses of its images are those of the draft. */
function render(html: string, attachmentUrl: (id: string) => string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
  for (const image of template.content.querySelectorAll<HTMLImageElement>('img[data-attachment]')) {
    image.src = attachmentUrl(decoded(image.dataset.attachment ?? ''));
  }
  // Line ends between blocks are not blocks.
  template.content.replaceChildren(...template.content.children);
  return template.content;
}

/**
 * Returns a function that finds the address of an image in the text. Images added to the draft are read from this
 * browser or, if it does not have them, from the server.
 */
function useAttachmentUrls({ id: draftId, content }: Draft): (id: string) => string {
  const made = useRef(new Map<string, string>());
  const [version, setVersion] = useState(0);
  const added = content.files.filter(({ from, type }) => from === 'added' && type.startsWith('image/'));
  const ids = added.map(({ id }) => id).join();
  useEffect(() => {
    let isGone = false;
    for (const id of ids === '' ? [] : ids.split(',')) {
      if (made.current.has(id)) continue;
      void readDraftFile(draftId, id).then((bytes) => {
        if (!bytes || isGone || made.current.has(id)) return;
        made.current.set(id, URL.createObjectURL(bytes));
        setVersion((count) => count + 1);
      });
    }
    return () => {
      isGone = true;
    };
  }, [draftId, ids]);
  useEffect(() => {
    const urls = made.current;
    return () => {
      for (const url of urls.values()) URL.revokeObjectURL(url);
      urls.clear();
    };
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map is the same, its content is not
  return useMemo(() => resolver(made.current), [version]);
}

const resolver = (urls: ReadonlyMap<string, string>) => (id: string) =>
  urls.get(id) ?? apiUrl(`/attachment/${encodeURIComponent(id)}`, { inline: true });
