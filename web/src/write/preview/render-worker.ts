import { renderBlocks } from '../../../../packages/markup/html.ts';
import type { Site } from '../../read/link-attributes.ts';
import { textPage } from '../../read/text-page.ts';
import { type BlockChange, changesOf } from './block-changes.ts';

let change: ((text: string) => BlockChange) | undefined;

/** The first message is the site, each further one a text. Answers with what differs from the text before. */
addEventListener('message', ({ data }: MessageEvent<Site | string>) => {
  if (typeof data === 'string') {
    if (change) postMessage(change(data));
    return;
  }
  const page = textPage(data);
  change = changesOf((text) => renderBlocks(text, page));
});
