import { readHtml } from '../../../packages/rich-text/read-html.js';
import { addressesOf } from '../../../packages/rich-text/text-addresses.js';
import type { Target } from '../../../packages/rich-text/text-model.js';
import { writeCommonmark } from '../../../packages/rich-text/write-commonmark.js';
import { type DataFile, takeDataFiles, toDataAddress } from './data-files.js';

/** Returns the address of the file to which an embedded image or a link refers; undefined if it refers to none. */
export type FindFile = (reference: string) => string | undefined;

/**
 * Converts HTML to CommonMark. Scripts and styles are dropped. Elements without an equivalent in CommonMark keep only
 * their text.
 * @param findFile returns `attachment/ID`
 * @param idOf returns the id of the attachment for a file that is part of the text
 */
export async function fromHtml(
  html: string,
  findFile: FindFile,
  idOf: (file: DataFile) => string,
): Promise<{ readonly source: string; readonly isLossy: boolean; readonly files: readonly DataFile[] }> {
  const { text, files } = takeDataFiles(html, 'html');
  const { blocks, isLossy } = readHtml(text);
  const { images, links } = addressesOf(blocks);
  const targets = Object.fromEntries([
    ...[...images, ...links].map((address): [string, Target] => [address, toTarget(address, findFile)]),
    ...files.map((file, at): [string, Target] => [toDataAddress(at), { kind: 'attachment', id: idOf(file) }]),
  ]);
  return { source: writeCommonmark(blocks, targets).source, isLossy, files };
}

function toTarget(address: string, findFile: FindFile): Target {
  const [, id] = /^attachment\/(.+)$/.exec(findFile(address) ?? '') ?? [];
  if (id !== undefined) return { kind: 'attachment', id };
  return /^(https?|ftp|mailto):/i.test(address) ? { kind: 'page', address } : { kind: 'nowhere' };
}
