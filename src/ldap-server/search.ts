import { collectAttributes, type Directory, type Entry } from './directory.js';
import type { FairScheduler } from './fair-scheduler.js';
import { WorkBudget } from './filter.js';
import { type ReturnedAttribute, writeEntry } from './message.js';
import { Refusal, resultCode } from './result.js';
import { type Page, type SearchRequest, selectAttributes } from './search-request.js';

export interface SearchTask {
  readonly messageId: number;
  readonly request: SearchRequest;
  readonly page: Page | undefined;
  readonly maxMs: number;
  /** Resolves when more may be sent. */
  readonly send: (message: Buffer) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Sends the entries that a search is for.
 * @returns where the next page begins; undefined at the end
 * @throws Refusal when a limit is met: what was sent until then stays sent
 */
export async function search(
  directory: Directory,
  turns: FairScheduler,
  task: SearchTask,
): Promise<number | undefined> {
  const { request, page, signal } = task;
  if (request.base.length === 0 && request.scope === 'base') {
    await sendMatching(rootEntry(directory), task);
    return undefined;
  }
  const { sizeLimit, timeLimitSeconds } = request;
  // A page as large as all that is wanted is no page.
  const pageSize = page && !(sizeLimit > 0 && page.size >= sizeLimit) ? page.size : Number.POSITIVE_INFINITY;
  if (pageSize === 0) return undefined;
  const limitMs = timeLimitSeconds > 0 ? Math.min(timeLimitSeconds * 1000, task.maxMs) : task.maxMs;
  const deadline = performance.now() + limitMs;
  let turnEnd = await turns.next();
  let sent = 0;
  for (const [place, entry] of candidates(directory, request, page?.start ?? 0)) {
    const now = performance.now();
    if (now > turnEnd) turnEnd = await turns.next();
    if (signal.aborted) return undefined;
    if (now > deadline) throw new Refusal(resultCode.timeLimitExceeded, 'The search took too long.');
    if (request.filter(entry, new WorkBudget()) !== true) continue;
    if (sent >= pageSize) return place;
    if (sizeLimit > 0 && sent >= sizeLimit) {
      throw new Refusal(resultCode.sizeLimitExceeded, `There are more than ${sizeLimit} such entries.`);
    }
    await task.send(entryMessage(entry, task));
    sent += 1;
  }
  return undefined;
}

/** The entries in the scope of a search, with their places, in the order of the tree. */
function* candidates(directory: Directory, { base, scope }: SearchRequest, start: number): Generator<[number, Entry]> {
  const { entries } = directory;
  const isRoot = base.length === 0;
  const basePlace = isRoot ? -1 : directory.findPlace(base);
  if (basePlace === undefined) {
    throw new Refusal(resultCode.noSuchObject, 'There is no such entry.', directory.findAbove(base)?.dn);
  }
  const end = isRoot ? entries.length : (entries[basePlace]?.end ?? 0);
  const first = scope === 'base' || scope === 'subtree' ? Math.max(basePlace, 0) : basePlace + 1;
  for (let place = first; place < end; ) {
    const entry = entries[place];
    if (!entry) return;
    if (place >= start) yield [place, entry];
    if (scope === 'base') return;
    place = scope === 'one' ? entry.end : place + 1;
  }
}

async function sendMatching(entry: Entry, task: SearchTask): Promise<void> {
  if (task.request.filter(entry, new WorkBudget()) === true) await task.send(entryMessage(entry, task));
}

function entryMessage(entry: Entry, { messageId, request }: SearchTask): Buffer {
  const attributes: ReturnedAttribute[] = selectAttributes(entry, request.selection).map(({ label, values }) => ({
    name: label,
    values: request.namesOnly ? [] : values,
  }));
  return writeEntry(messageId, entry.dn, attributes);
}

/** The entry without a name, which tells what the directory can do. */
function rootEntry(directory: Directory): Entry {
  const value = (name: string, text: string) => ({ name, value: Buffer.from(text) });
  const told = [
    ...directory.topEntries().map(({ dn }) => value('namingContexts', dn)),
    value('supportedLDAPVersion', '3'),
    value('supportedExtension', extensions.whoAmI),
    ...Object.values(controls).map((oid) => value('supportedControl', oid)),
    ...features.map((oid) => value('supportedFeatures', oid)),
  ];
  return {
    dn: '',
    name: [],
    attributes: [
      ...collectAttributes([value('objectClass', 'top')]),
      ...collectAttributes(told).map((attribute) => ({ ...attribute, isOperational: true })),
    ],
    passwords: [],
    end: 0,
  };
}

export const extensions = { whoAmI: '1.3.6.1.4.1.4203.1.11.3' } as const;

/** Without references there is nothing to do for manageDsaIt: what it asks for is so anyway. */
export const controls = { pagedResults: '1.2.840.113556.1.4.319', manageDsaIt: '2.16.840.1.113730.3.4.2' } as const;

/** All operational attributes by `+`, and filters that are just true or false. */
const features = ['1.3.6.1.4.1.4203.1.5.1', '1.3.6.1.4.1.4203.1.5.3'];
