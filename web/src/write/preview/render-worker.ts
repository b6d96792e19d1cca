import { renderBlocks, type TextPage } from '../../../../packages/markup/html.ts';
import type { Site } from '../../read/link-attributes.ts';
import { textPage } from '../../read/text-page.ts';
import { changeOfBlocks } from './block-changes.ts';

let page: TextPage | undefined;
let shown: readonly string[] = [];

/** Renders each text it is sent after the site. Answers with what differs from the text before. */
addEventListener('message', ({ data }: MessageEvent<Site | string>) => {
  if (typeof data !== 'string') {
    page = textPage(data);
    return;
  }
  if (!page) return;
  const blocks = renderBlocks(data, page);
  const change = changeOfBlocks(shown, blocks);
  shown = blocks;
  postMessage(change);
});
