import { type Loose, textOf } from '../../imports/entry-values.js';
import { fromHtml } from '../../imports/texts/from-html.js';
import { readPlain } from '../../imports/texts/read-plain.js';
import { writeCommonmark } from '../../imports/texts/write-commonmark.js';
import type { CrateGraph } from './crate-graph.js';

/** A file of an entry, as texts may refer to it. */
export interface ReferredFile {
  /** Id of the attachment. */
  readonly id: string;
  /** Below the folder of the crate. */
  readonly path: string;
  readonly names: readonly string[];
}

export interface CrateText {
  readonly source: string;
  /** The HTML, of which the text has lost something; undefined otherwise. */
  readonly original: string | undefined;
}

const htmlTag = /<(p|div|br|h[1-6]|ul|ol|table|span|strong|em|b|i|a|img|figure)\b[^<>]*>/i;

/** Returns the text of a node in CommonMark: its description, then its text. */
export async function readText(graph: CrateGraph, node: Loose, files: readonly ReferredFile[]): Promise<CrateText> {
  const find = (reference: string) => findFile(files, reference);
  const originals: string[] = [];
  const parts: string[] = [];
  for (const value of [node.description, node.text]) {
    const described = textOf(value) === undefined ? graph.resolve(value) : { text: value };
    const text = textOf(described?.text) ?? '';
    if (text.trim() === '') continue;
    const form = textOf(described?.encodingFormat) ?? textOf(node.encodingFormat) ?? '';
    if (/html/i.test(form) || (!/markdown|plain/i.test(form) && htmlTag.test(text))) {
      const { source, isLossy } = await fromHtml(text, find);
      parts.push(source);
      if (isLossy || /\bsrc\s*=\s*["']?data:/i.test(text)) originals.push(text);
    } else if (/markdown/i.test(form)) parts.push(linkFiles(text, find));
    else parts.push(writeCommonmark(readPlain(text).blocks, {}).source);
  }
  return { source: parts.join('\n\n'), original: originals.length === 0 ? undefined : originals.join('\n') };
}

/** Lets links of a Markdown text lead to the attachments. */
function linkFiles(text: string, find: (reference: string) => string | undefined): string {
  return text.replace(/(\]\()([^()\s]{1,2000})(?=[)\s])/g, (whole, before: string, to: string) => {
    const file = find(to);
    return file === undefined ? whole : `${before}${file}`;
  });
}

/** Programs refer to a file by its path in the archive, or by their own address with a name in it. */
function findFile(files: readonly ReferredFile[], reference: string): string | undefined {
  if (files.length === 0 || /^(mailto|data):/i.test(reference)) return undefined;
  const path = decoded(reference.replace(/[?#].*$/s, ''))
    .replace(/\/{2,}/g, '/')
    .replace(/^([.]\/)+/, '');
  const query = new URLSearchParams(/\?([^#]*)/.exec(reference.replaceAll('&amp;', '&'))?.[1] ?? '');
  const wanted = new Set([path, query.get('f'), query.get('name')].filter((name) => name !== null && name !== ''));
  const isLocal = !/^[a-z][a-z0-9+.-]*:\/\//i.test(reference);
  const found = files.find((file) => (isLocal && file.path === path) || file.names.some((name) => wanted.has(name)));
  return found && `attachment/${found.id}`;
}

export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
