import { groupPropertyName } from '../../entries/entry.js';
import { entryPagePath } from '../../entries/page-address.js';

/** The fields of an entry of the REST API that tools read. */
export interface ApiEntry {
  readonly id: number;
  readonly title: string;
  readonly level: string;
  readonly owner: string;
  readonly createdDate: number;
  readonly modifyDate?: number | null;
  readonly logbooks: readonly { readonly name: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly properties: readonly {
    readonly name: string;
    readonly attributes: readonly { readonly name: string; readonly value?: string | null }[];
  }[];
  readonly events: readonly { readonly name: string; readonly instant: number }[];
  readonly attachments: readonly { readonly filename: string }[];
  readonly source?: string;
  readonly snippet?: string;
  readonly run?: { readonly status: string; readonly changedDate: number };
  readonly automatic?: true;
  readonly thread?: { readonly id: string; readonly size: number } | null;
}

type Link = (path: string) => string;

/** Maximum number of UTF-16 code units of a text, for a single entry and in a list. */
export const textLimits = { alone: 100_000, inList: 10_000 } as const;

/** Returns an entry for a list, with a snippet instead of its text. */
export function toListed(entry: ApiEntry, link: Link) {
  const { thread, snippet = '' } = entry;
  return {
    ...head(entry, link),
    ...(thread && { threadId: thread.id, threadSize: thread.size }),
    written: { ...names(entry), snippet },
  };
}

/** Returns an entry with its text, cut at the limit. */
export function toWhole(entry: ApiEntry, link: Link, maxLength: number) {
  const { source = '', properties, events, attachments } = entry;
  const threadId = properties.find(({ name }) => name === groupPropertyName)?.attributes[0]?.value;
  const isCut = source.length > maxLength;
  return {
    ...head(entry, link),
    ...(entry.modifyDate != null && { modified: iso(entry.modifyDate) }),
    ...(threadId != null && { threadId }),
    written: {
      ...names(entry),
      text: isCut ? source.slice(0, maxLength).toWellFormed() : source,
      properties: Object.fromEntries(
        properties
          .filter(({ name }) => name !== groupPropertyName)
          .map(({ name, attributes }) => [name, Object.fromEntries(attributes.map((one) => [one.name, one.value]))]),
      ),
      events: events.map(({ name, instant }) => ({ name, at: iso(instant) })),
      files: attachments.map(({ filename }) => filename),
    },
    ...(isCut && { textIsCut: `The text has ${source.length} characters. The page at “link” shows all of it.` }),
  };
}

function head({ id, createdDate, run, automatic }: ApiEntry, link: Link) {
  return {
    ...{ id, link: link(entryPagePath(id)), created: iso(createdDate) },
    ...(run && { run: { status: run.status, changed: iso(run.changedDate) } }),
    ...(automatic && { automatic }),
  };
}

/** Returns the title, and the names that people and programs have chosen. */
function names({ title, level, owner, logbooks, tags }: ApiEntry) {
  return { title, level, owner, logbooks: logbooks.map(({ name }) => name), tags: tags.map(({ name }) => name) };
}

export const iso = (ms: number): string => new Date(ms).toISOString();
