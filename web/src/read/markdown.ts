import { renderBlocks, renderHtml } from '../../../packages/markup/html.ts';
import { rootPath } from '../app/root-path.ts';
import { trustedHtml } from '../app/trusted-types.ts';
import type { Site } from './link-attributes.ts';
import { textPage } from './text-page.ts';

export const site: Site = { origin: location.origin, rootPath };

const page = textPage(site);
const { task: _, ...pageWithoutBoxes } = page;

/** Renders CommonMark. HTML in the text stays text. */
export function renderMarkdown(source: string): string {
  return trustedHtml(renderHtml(source, page));
}

/** Renders CommonMark with the boxes of tasks as typed, so that a comparison of two texts shows them. */
export function renderForComparison(source: string): string {
  return trustedHtml(renderHtml(source, pageWithoutBoxes));
}

/** Renders CommonMark in blocks, not yet trusted. */
export function renderMarkdownBlocks(source: string): string[] {
  return renderBlocks(source, page);
}
