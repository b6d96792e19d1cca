import { plainTextOf } from '../../../packages/markup/plain-text.js';
import { fenced } from '../../../packages/rich-text/escape-text.js';
import { writeCommonmark } from '../../../packages/rich-text/write-commonmark.js';
import { type Loose, type Remark, textOf } from '../../imports/entry-values.js';
import type { DataFile } from '../../imports/texts/data-files.js';
import { fromHtml } from '../../imports/texts/from-html.js';
import { readPlain } from '../../imports/texts/read-plain.js';
import { derivedId } from '../../kernel/derived-id.js';
import { quoted } from '../../kernel/fault.js';
import type { CrateGraph } from './crate-graph.js';
import { isByLanguage, listIn, textIn } from './crate-values.js';

/** The names by which texts may refer to a file of an entry. */
export interface ReferredFile {
  /** Id of the attachment. */
  readonly id: string;
  /** Path below the folder of the crate. */
  readonly path: string;
  readonly names: readonly string[];
}

/** One of the texts of a node. */
interface TextPart {
  readonly text: string;
  /** `own`: in the form in which this program writes texts. */
  readonly form: 'own' | 'html' | 'markdown' | 'plain';
}

/** Task of converting the texts of a node. */
export interface CrateTextTask {
  /** Identifies the entry across archives. */
  readonly place: string;
  readonly parts: readonly TextPart[];
  readonly files: readonly ReferredFile[];
  /** Addresses of files elsewhere, which are never fetched: they become links. */
  readonly addresses: readonly string[];
}

export interface CrateText {
  /** Text in CommonMark. */
  readonly source: string;
  /** Text as readers see it. */
  readonly plain: string;
  /** The original HTML if the conversion lost part of it; undefined otherwise. */
  readonly original: string | undefined;
  /** Files that were part of the text, by their ids. */
  readonly files: ReadonlyMap<string, DataFile>;
}

const htmlTag = /<(p|div|br|h[1-6]|ul|ol|table|span|strong|em|b|i|a|img|figure)\b[^<>]*>/i;

/** Lists the texts of a node: its description, then its text. */
export function listParts(graph: CrateGraph, node: Loose, remark: Remark): TextPart[] {
  return [...listIn(node.description), ...listIn(node.text)].flatMap((value): TextPart[] => {
    const isText = textOf(value) !== undefined || isByLanguage(value);
    const described: Loose | undefined = isText ? { text: value } : graph.resolve(value);
    const text = textIn(described?.text, '\n\n') ?? '';
    if (described?.text === undefined) {
      remark(`One of its texts is missing from the description of the archive: ${quoted(JSON.stringify(value), 200)}.`);
    }
    if (text.trim() === '') return [];
    const form = textOf(described?.encodingFormat) ?? textOf(node.encodingFormat) ?? '';
    const isHtml = /html/i.test(form) || (!/markdown|plain/i.test(form) && htmlTag.test(text));
    return [{ text, form: isHtml ? 'html' : /markdown/i.test(form) ? 'markdown' : 'plain' }];
  });
}

/** Converts texts to CommonMark. Long texts are converted in a worker thread. */
export async function convertCrateText({ place, parts, files, addresses }: CrateTextTask): Promise<CrateText> {
  const find = (reference: string) => findFile(files, reference);
  const originals: string[] = [];
  const texts: string[] = [];
  const pasted = new Map<string, DataFile>();
  for (const [at, { text, form }] of parts.entries()) {
    if (form === 'html') {
      const idOf = ({ filename }: DataFile) => derivedId(`${place} ${at} ${filename}`);
      const { source, isLossy, files: taken } = await fromHtml(text, find, idOf);
      texts.push(source);
      for (const file of taken) pasted.set(idOf(file), file);
      if (isLossy) originals.push(text);
    } else if (form === 'markdown') texts.push(linkFiles(text, find));
    else texts.push(form === 'own' ? text : writeCommonmark(readPlain(text).blocks, {}).source);
  }
  texts.push(addresses.map((address) => `- <${address.replace(/[\s<>]/g, encodeURIComponent)}>`).join('\n'));
  const source = texts.filter((text) => text !== '').join('\n\n');
  const original = originals.length === 0 ? undefined : originals.join('\n');
  return { source, plain: plainTextOf(source), original, files: pasted };
}

/** Returns a text whose conversion takes too long, unconverted in a code block. */
export function asCode({ parts }: CrateTextTask): CrateText {
  const plain = parts.map(({ text }) => text).join('\n\n');
  return { source: fenced(plain), plain, original: plain, files: new Map() };
}

/** Points the links of a Markdown text to the attachments. */
function linkFiles(text: string, find: (reference: string) => string | undefined): string {
  return text.replace(/(\]\()([^()\s]{1,2000})(?=[)\s])/g, (whole, before: string, to: string) => {
    const file = find(to);
    return file === undefined ? whole : `${before}${file}`;
  });
}

/**
 * Finds the file of a reference: the path of the file in the archive, or an address of the program that contains its
 * name.
 */
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
