import { withGroup } from '../../entries/entry.js';
import {
  isRecord,
  type Loose,
  type Remark,
  readVersion,
  textOf,
  type VersionValues,
} from '../../imports/entry-values.js';
import { quoted } from '../../kernel/fault.js';
import { dateOf, noteUnreadDates, parseDate } from './crate-dates.js';
import { addTo, type CrateGraph } from './crate-graph.js';
import { hasType, idOf, listIn, textIn } from './crate-values.js';

type Fields = Omit<VersionValues, 'source' | 'description'>;
type Property = VersionValues['properties'][number];

/** Properties of a crate that apply to all of its entries. */
export interface CrateContext {
  readonly graph: CrateGraph;
  /** Name of the program that has written the crate. Also the property of attributes for which the crate names none. */
  readonly program: string;
  /** Logbook of all entries; undefined: the crate names the logbooks. */
  readonly logbook: string | undefined;
}

interface NodeContext {
  readonly title: string;
  readonly book: string | undefined;
  readonly about: string | undefined;
  readonly groupId: string | undefined;
  readonly fileIds: readonly string[];
  readonly remark: Remark;
}

const state = 'Active' as const;
/** Keys that do not become attributes. */
const ownKeys = new Set(
  '@id @type @context name text description encodingFormat author creator authors dateCreated dateModified datePublished keywords hasPart comment parentItem variableMeasured isBasedOn mainEntity version'.split(
    ' ',
  ),
);
const maxValues = 2_000;
const maxValueLength = 10_000;

/**
 * Returns the fields of an entry that this program has written, which the crate contains unchanged; undefined for
 * others.
 */
export function readRecord(
  graph: CrateGraph,
  node: Loose,
  logbook: string | undefined,
): (Fields & { readonly description?: string | undefined }) | undefined {
  const value = listIn(node.variableMeasured)
    .map((one) => graph.resolve(one))
    .find((one) => one?.propertyID === 'logbook:entry');
  const record = value && parseRecord(textOf(value.value) ?? '');
  if (!record) return undefined;
  const { source: _, description: __, ...fields } = readVersion(record, () => undefined);
  const description = textOf(record.description);
  const logbooks = logbook === undefined ? fields.logbooks : [{ name: logbook, owner: '', state }];
  return { ...fields, logbooks, ...(description !== undefined && { description }) };
}

function parseRecord(json: string): Loose | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the fields of an entry of any program. */
export function readFields(
  context: CrateContext,
  node: Loose,
  { title, book, about, groupId, fileIds, remark }: NodeContext,
): Fields {
  const { graph, program, logbook } = context;
  const root = graph.rootFields;
  const [author, ...others] = listIn(node.author ?? node.authors ?? node.creator ?? root.author ?? root.creator);
  const person = readPerson(graph, author);
  const ofArchive = dateOf(graph.descriptor) ?? dateOf(root);
  const created = dateOf(node) ?? ofArchive ?? 0;
  noteUnreadDates(node, remark);
  if (dateOf(node) === undefined)
    remark(
      `It has no readable date; its date is now ${ofArchive === undefined ? '1970-01-01' : 'the date of the archive'}.`,
    );
  if (person.owner === '') remark('It has no author.');
  const modified = parseDate(node.dateModified);
  const values = new Map<string, string[]>();
  for (const one of others) addTo(values, `${program}\nauthor`, readPerson(graph, one).owner);
  if (book !== undefined) addTo(values, `${program}\nbook`, textIn(graph.find(book)?.name) ?? book);
  if (about !== undefined) addTo(values, `${program}\nfile`, textIn(graph.find(about)?.name) ?? about);
  collectKeys(context, node, values);
  collectMeasured(context, node, values);
  for (const id of fileIds) {
    const file = graph.find(id) ?? {};
    collectMeasured(context, file, values, `${textOf(file.name) ?? id}: `);
  }
  const properties = toProperties(values, remark);
  return {
    ...person,
    title,
    level: 'Info',
    state,
    createdDate: created,
    modifyDate: modified !== undefined && modified > created ? modified : null,
    modifiedBy: null,
    events: [],
    logbooks: [{ name: logbook ?? program, owner: '', state }],
    tags: [...readKeywords(graph, node.keywords)].map((name) => ({ name, state })),
    properties: groupId === undefined ? properties : withGroup(properties, groupId),
  };
}

/** Returns the tags of a list of keywords. */
function readKeywords(graph: CrateGraph, value: unknown): Set<string> {
  const words = listIn(value).flatMap((one) => describeValue(graph, one).split(','));
  return new Set(words.map((word) => nameFrom(word)).filter((word) => word !== ''));
}

/** Converts a text to a valid name of an item of the catalogue; empty when nothing is left of it. */
export function nameFrom(text: string): string {
  return [...text.replace(/[\p{Cc}\s]+/gu, ' ').trim()]
    .slice(0, 120)
    .join('')
    .trim()
    .replace(/^[.]{1,2}$/, '');
}

function readPerson(graph: CrateGraph, reference: unknown): { readonly owner: string; readonly ownerName?: string } {
  const name = textOf(reference);
  // Some programs write an id as a string.
  const named = name === undefined ? undefined : graph.resolve({ '@id': name });
  const isPerson = named && (hasType(named, 'Person') || hasType(named, 'Organization'));
  if (name !== undefined && !isPerson) return { owner: name };
  const person = named ?? graph.resolve(reference);
  if (!person) return { owner: isRecord(reference) ? (idOf(reference) ?? '') : '' };
  const full = [person.givenName, person.familyName]
    .map((part) => textIn(part, ' ') ?? '')
    .join(' ')
    .trim();
  const shown = textIn(person.name)?.trim() || full;
  const identifier = textOf(person.identifier);
  const isName = identifier !== undefined && !/^https?:/.test(identifier);
  const owner = textOf(person.email) ?? (isName ? identifier : undefined) ?? (shown || (idOf(person) ?? ''));
  return shown === '' || shown === owner ? { owner } : { owner, ownerName: shown };
}

/** Converts keys without a field in an entry to attributes, so that nothing is lost. */
function collectKeys({ graph, program }: CrateContext, node: Loose, values: Map<string, string[]>): void {
  for (const [key, value] of Object.entries(node)) {
    if (ownKeys.has(key)) continue;
    for (const one of listIn(value)) add(values, `${program}\n${key}`, describeValue(graph, one));
  }
}

function describeValue(graph: CrateGraph, value: unknown): string {
  const text = textOf(value);
  if (text !== undefined) return text;
  const node = graph.resolve(value) ?? (isRecord(value) ? value : {});
  const inner = hasType(node, 'HowToStep') ? listIn(node.itemListElement).map((one) => graph.resolve(one)?.text) : [];
  const values = [inner, node.name, node.text, node.ratingValue, node.url, node['@id']];
  const said = values.map((one) => textIn(one));
  return said.find((one) => one !== undefined && one !== '') ?? (isRecord(value) ? JSON.stringify(value) : '');
}

/** Adds measured values to the attributes. An id `property.name` names a property if the node has that name. */
function collectMeasured(
  { graph, program }: CrateContext,
  node: Loose,
  values: Map<string, string[]>,
  prefix = '',
): void {
  for (const one of listIn(node.variableMeasured)) {
    const measured = graph.resolve(one);
    const id = textOf(measured?.propertyID) ?? textIn(measured?.name);
    if (!measured || id === undefined) {
      add(values, `${program}\n${prefix}variableMeasured`, describeValue(graph, measured?.value ?? one));
      continue;
    }
    const name = textIn(measured.name) ?? '';
    const isOwn = prefix === '' && name !== '' && id.length > name.length + 1 && id.endsWith(`.${name}`);
    const key = isOwn ? `${id.slice(0, -name.length - 1)}\n${name}` : `${program}\n${prefix}${id}`;
    const unit = textOf(measured.unitText);
    const said = listIn(measured.value).map((value) => describeValue(graph, value));
    add(values, key, [said.filter(Boolean).join('; '), unit].filter(Boolean).join(' '));
  }
}

function add(values: Map<string, string[]>, key: string, value: string): void {
  if (value !== '' && (values.has(key) || values.size <= maxValues)) addTo(values, key, value);
}

function toProperties(values: ReadonlyMap<string, readonly string[]>, remark: Remark): Property[] {
  if (values.size > maxValues) remark(`It has more than ${maxValues} attributes; the others were left out.`);
  const properties = new Map<string, Property['attributes'][number][]>();
  for (const [key, list] of [...values].slice(0, maxValues)) {
    const [property = '', attribute = ''] = key.split('\n').map(nameFrom);
    if (property === '' || attribute === '') continue;
    const attributes = properties.get(property) ?? [];
    const whole = list.join('; ');
    const value = whole.length > maxValueLength ? whole.slice(0, maxValueLength).toWellFormed() : whole;
    if (value !== whole) remark(`The attribute ${quoted(attribute)} was cut to ${maxValueLength} characters.`);
    attributes.push({ name: attribute, value, state });
    properties.set(property, attributes);
  }
  return [...properties].map(([name, attributes]) => ({ name, owner: '', state, attributes }));
}
