import { isRecord, type Loose, textOf } from '../../imports/entry-values.js';

/** Type of a node that an import reads. */
export type NodeType = 'Dataset' | 'File' | 'Comment' | 'Book' | 'Person' | 'Organization' | 'HowToStep';

const maxReferences = 1_000_000;

/** Matches the address or prefix before a term of schema.org. */
const longTerm = /^(?:https?:\/\/schema[.]org\/|(?:schema|sdo|schemaorg):)(?=\w)/;
const mayNeedUnwrap = /"(?:@(?:value|list|set)"|(?:https?:\/\/schema[.]org\/|(?:schema|sdo|schemaorg):)\w+"\s*:)/;

/**
 * Parses a node. Values with a language or a type, and marked lists and sets, are replaced with their content; keys
 * become their short forms.
 */
export function parseNode(json: Buffer): unknown {
  const text = json.toString('utf8');
  return mayNeedUnwrap.test(text) ? JSON.parse(text, unwrap) : JSON.parse(text);
}

function unwrap(_key: string, value: unknown): unknown {
  if (!isRecord(value)) return value;
  return value['@value'] ?? value['@list'] ?? value['@set'] ?? withShortKeys(value);
}

function withShortKeys(node: Loose): Loose {
  const values = Object.entries(node);
  const isLong = ([key]: readonly [string, unknown]) => longTerm.test(key);
  if (!values.some(isLong)) return node;
  const shortened = values.filter(isLong).map(([key, value]) => [key.replace(longTerm, ''), value]);
  return Object.fromEntries([...shortened, ...values.filter((one) => !isLong(one))]);
}

/** Returns the normalised id of a node, because programs write ids in several forms. The id of the root is empty. */
export function idOf(node: Loose): string | undefined {
  const id = textOf(node['@id']);
  if (id === undefined || /^[a-z][a-z0-9+.-]*:\/\//i.test(id)) return id;
  // Some Windows programs write backslashes.
  return id
    .replaceAll('\\', '/')
    .replace(/\/{2,}/g, '/')
    .replace(/^([.]\/)+|\/$/g, '');
}

/** Returns the elements of a value that may be a single one or a list. */
export function listIn(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value.slice(0, maxReferences) : [value];
}

/** Returns a text, or several texts joined, such as one in each language; undefined when there is none. */
export function textIn(value: unknown, separator = ', '): string | undefined {
  const texts = listIn(value).flatMap((one) => (isByLanguage(one) ? Object.values(one) : [one]));
  const all = texts.flatMap((one) => textOf(one) ?? []);
  return all.length === 0 ? undefined : all.join(separator);
}

/** Whether a value is a text in several languages, such as `{"en": "run", "de": "Lauf"}`. */
export function isByLanguage(value: unknown): value is Loose {
  if (!isRecord(value)) return false;
  const texts = Object.entries(value);
  return (
    texts.length > 0 &&
    texts.every(([key, text]) => /^(?!id$)[a-z]{2}(?:-[\w-]+)?$/i.test(key) && typeof text === 'string')
  );
}

/** Returns the ids of the nodes to which a value refers. */
export function idsIn(value: unknown): string[] {
  return listIn(value).flatMap((one) => (isRecord(one) ? (idOf(one) ?? []) : []));
}

/** Whether a node becomes an entry or a file. */
export const isContent = (node: Loose): boolean =>
  hasType(node, 'Dataset') || hasType(node, 'File') || hasType(node, 'Comment');

/** Returns whether a node has a type, in its short form, with a prefix or as an address. */
export function hasType(node: Loose, type: NodeType): boolean {
  return listIn(node['@type']).some((one) => {
    const name = textOf(isRecord(one) ? one['@id'] : one)?.replace(longTerm, '');
    // `File` is another name for a media object in crates.
    return name === type || (type === 'File' && name === 'MediaObject');
  });
}
