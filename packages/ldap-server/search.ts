import { collectAttributes, type Directory, type Entry } from './directory.js';
import type { FairScheduler } from './fair-scheduler.js';
import { WorkBudget } from './filter.js';
import { writeEntry } from './message.js';
import { LdapResultError, resultCode } from './result.js';
import { type Page, type SearchRequest, selectAttributes } from './search-request.js';

export interface SearchTask {
  readonly messageId: number;
  readonly request: SearchRequest;
  readonly page: Page | undefined;
  readonly timeoutMs: number;
  /** Resolves when more data may be sent. */
  readonly send: (message: Buffer) => Promise<void>;
  readonly signal: AbortSignal;
}

/**
 * Sends the entries that match the search.
 * @returns the index at which the next page begins; undefined after the last page
 * @throws LdapResultError when a limit is exceeded, after the entries up to the limit have been sent
 */
export async function search(
  directory: Directory,
  scheduler: FairScheduler,
  task: SearchTask,
): Promise<number | undefined> {
  const { request, page, signal } = task;
  if (request.base.length === 0 && request.scope === 'base') {
    const root = createRootEntry(directory);
    if (request.filter(root, new WorkBudget()) === true) await sendEntry(root, task);
    return undefined;
  }
  const { sizeLimit, timeLimitSeconds } = request;
  // RFC 2696, section 3: a page size not below the size limit has no effect.
  const pageSize = page && !(sizeLimit > 0 && page.size >= sizeLimit) ? page.size : Number.POSITIVE_INFINITY;
  if (pageSize === 0) return undefined;
  const timeoutMs = timeLimitSeconds > 0 ? Math.min(timeLimitSeconds * 1000, task.timeoutMs) : task.timeoutMs;
  const deadline = performance.now() + timeoutMs;
  let sliceEnd = await scheduler.nextSlice();
  let sent = 0;
  for (const [index, entry] of listCandidates(directory, request, page?.start ?? 0)) {
    const now = performance.now();
    if (now > sliceEnd) sliceEnd = await scheduler.nextSlice();
    if (signal.aborted) return undefined;
    if (now > deadline) throw new LdapResultError(resultCode.timeLimitExceeded, 'The search took too long.');
    if (request.filter(entry, new WorkBudget()) !== true) continue;
    if (sent >= pageSize) return index;
    if (sizeLimit > 0 && sent >= sizeLimit) {
      throw new LdapResultError(resultCode.sizeLimitExceeded, `More than ${sizeLimit} entries match.`);
    }
    await sendEntry(entry, task);
    sent += 1;
  }
  return undefined;
}

/** Yields the entries in the scope of the search with their indexes, in tree order from `start`. */
function* listCandidates(
  directory: Directory,
  { base, scope }: SearchRequest,
  start: number,
): Generator<[number, Entry]> {
  const { entries } = directory;
  const isRoot = base.length === 0;
  const baseIndex = isRoot ? -1 : directory.findIndex(base);
  if (baseIndex === undefined) throw noSuchObject(directory, base);
  const end = isRoot ? entries.length : (entries[baseIndex]?.subtreeEnd ?? 0);
  const first = scope === 'base' || scope === 'subtree' ? Math.max(baseIndex, 0) : baseIndex + 1;
  for (let index = first; index < end; ) {
    const entry = entries[index];
    if (!entry) return;
    if (index >= start) yield [index, entry];
    if (scope === 'base') return;
    index = scope === 'one' ? entry.subtreeEnd : index + 1;
  }
}

export function noSuchObject(directory: Directory, name: SearchRequest['base']): LdapResultError {
  return new LdapResultError(resultCode.noSuchObject, 'No such entry.', directory.findAncestor(name)?.dn);
}

async function sendEntry(entry: Entry, { messageId, request, send }: SearchTask): Promise<void> {
  const attributes = selectAttributes(entry, request.selection);
  const returned = request.typesOnly ? attributes.map(({ label }) => ({ label, values: [] })) : attributes;
  await send(writeEntry(messageId, entry.dn, returned));
}

/** Returns the root DSE: the entry without a name, which describes the capabilities of the server. */
function createRootEntry(directory: Directory): Entry {
  const attribute = (name: string, text: string) => ({ name, value: Buffer.from(text) });
  const operational = [
    ...directory.listRoots().map(({ dn }) => attribute('namingContexts', dn)),
    attribute('supportedLDAPVersion', '3'),
    attribute('supportedExtension', extensions.whoAmI),
    ...Object.values(controls).map((oid) => attribute('supportedControl', oid)),
    ...features.map((oid) => attribute('supportedFeatures', oid)),
  ];
  return {
    dn: '',
    name: [],
    attributes: [
      ...collectAttributes([attribute('objectClass', 'top')]),
      ...collectAttributes(operational).map((collected) => ({ ...collected, isOperational: true })),
    ],
    passwords: [],
    subtreeEnd: 0,
  };
}

export const extensions = { whoAmI: '1.3.6.1.4.1.4203.1.11.3' } as const;

/** manageDsaIT has no effect, because there are no referrals. */
export const controls = { pagedResults: '1.2.840.113556.1.4.319', manageDsaIt: '2.16.840.1.113730.3.4.2' } as const;

/**
 * OIDs of the features: all operational attributes by `+` (RFC 3673), and absolute true and false filters (RFC 4526).
 */
const features = ['1.3.6.1.4.1.4203.1.5.1', '1.3.6.1.4.1.4203.1.5.3'];
