import { readHtml } from '../../../../packages/rich-text/read-html.ts';
import { addressesOf } from '../../../../packages/rich-text/text-addresses.ts';
import type { Block, Run, Target } from '../../../../packages/rich-text/text-model.ts';
import { writeCommonmark } from '../../../../packages/rich-text/write-commonmark.ts';
import type { Site } from '../../read/link-attributes.ts';

export interface PastedText {
  readonly markdown: string;
  /** Whether it belongs on the line of the cursor. */
  readonly isInline: boolean;
}

/** Code editors copy plain text as coloured HTML. */
const fromCodeEditor = /white-space:\s*pre\s*[;"']/;

/** Returns pasted HTML as Markdown; undefined if it says no more than the plain text. */
export function readPastedHtml(html: string, site: Site): PastedText | undefined {
  if (fromCodeEditor.test(html.slice(0, 2_000))) return undefined;
  const { blocks } = readHtml(withoutEmbeddedImages(html));
  if (!blocks.some(isFormatted)) return undefined;
  const { images, links } = addressesOf(blocks);
  const targets = Object.fromEntries([
    ...images.map((address): [string, Target] => [address, imageTarget(address, site)]),
    ...links.map((address): [string, Target] => [address, linkTarget(address, site)]),
  ]);
  const { source } = writeCommonmark(blocks, targets, 'typed');
  const isInline = blocks.length === 1 && blocks[0]?.kind === 'paragraph' && !source.includes('\n');
  return { markdown: withBoxes(source), isInline };
}

/** Removes the addresses of embedded images: they contain the image itself, so no text could link to it. */
function withoutEmbeddedImages(html: string): string {
  return html.replace(/(\ssrc\s*=\s*)(?:"\s*data:[^"]*"|'\s*data:[^']*')/gi, '$1""');
}

function isFormatted(block: Block): boolean {
  if (block.kind === 'paragraph') return block.runs.some(isMarked);
  return block.kind !== 'rule';
}

function isMarked(run: Run): boolean {
  if (run.kind !== 'text') return run.kind === 'image';
  const { isStrong, isEmphasis, isCode, script, link } = run.marks;
  const isNamedLink = link !== undefined && link.replace(/\/$/, '') !== run.text.trim().replace(/\/$/, '');
  return run.text.trim() !== '' && (isStrong || isEmphasis || isCode || script !== undefined || isNamedLink);
}

/** Images of this service are shown, those of other sites become links, and local files become their names. */
function imageTarget(address: string, site: Site): Target {
  const target = ownTarget(address, site);
  if (target) return target;
  return /^https?:/i.test(address) ? { kind: 'page', address } : { kind: 'ornament' };
}

function linkTarget(address: string, site: Site): Target {
  const target = ownTarget(address, site);
  if (target) return target;
  return /^(https?|ftp|mailto):/i.test(address) ? { kind: 'page', address } : { kind: 'nowhere' };
}

function ownTarget(address: string, { origin, rootPath }: Site): Target | undefined {
  if (!address.startsWith(`${origin}/`)) return undefined;
  const path = address.slice(origin.length);
  const [, entry] = /^\/entries\/(\d{1,12})$/.exec(path) ?? [];
  if (entry !== undefined) return { kind: 'entry', id: Number(entry) };
  const file = path.startsWith(`${rootPath}/attachment/`) ? path.slice(`${rootPath}/attachment/`.length) : '';
  const [, id] = /^([\w.%-]+)(?:\?.*)?$/.exec(file) ?? [];
  return id === undefined ? undefined : { kind: 'attachment', id };
}

/** Writes the boxes of a task list as Markdown. */
function withBoxes(source: string): string {
  return source.replace(/^((?:[ >]*(?:[-*]|\d{1,9}[.)]) )+)([☐☑]) {1,3}/gm, (_all, start: string, box: string) => {
    return `${start}[${box === '☑' ? 'x' : ' '}] `;
  });
}
