import { hash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../../src/entries/entry.js';
import { ChangeReader } from '../fixtures/change-reader.js';
import { type Answer, type CallOptions, call, entryForm } from '../fixtures/service.js';
import type { DrillRecord, FollowedChanges } from './drill-record.js';

const retryMs = 100;
const receivedWithinMs = 300_000;
const pauseMs = 20;
const maxFileBytes = 150_000;
const logbooks = [{ name: 'operations' }];
/** Number of tags that are changed in turn. */
const tags = 5;

const newTitle = () => `w${randomUUID().replaceAll('-', '')}`;
const describeAnswer = (answer: Answer | undefined) =>
  answer ? `${answer.status} ${answer.body?.code ?? ''}` : 'no answer';

/** Sends a write until it is acknowledged, with one key: it may have been stored when its answer was lost. */
async function sendUntilAcknowledged(url: string, options: CallOptions, record: DrillRecord): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  for (;;) {
    const answer = await call(url, { ...options, headers }).catch(() => undefined);
    if (answer?.status === 200) return answer;
    record.refuse(describeAnswer(answer));
    if (answer && answer.status < 500 && answer.status !== 429) throw new Error(`${url} got ${answer.text}`);
    await sleep(retryMs);
  }
}

/** Creates, edits and answers entries of its own, and searches for each of them, until `signal` aborts. */
export async function write(base: string, record: DrillRecord, signal: AbortSignal): Promise<void> {
  let latest: Entry | undefined;
  for (let n = 0; !signal.aborted; n++) {
    const title = newTitle();
    const edited = n % 3 === 0 ? latest : undefined;
    const path = edited ? `/logs/${edited.id}` : n % 5 === 4 && latest ? `/logs?inReplyTo=${latest.id}` : '/logs';
    const options = { method: edited ? 'POST' : 'PUT', json: { title, logbooks } };
    const answer = await sendUntilAcknowledged(`${base}${path}`, options, record);
    latest = answer.body as Entry;
    if (edited) record.edit(latest.id, title);
    else record.create(latest.id, title);
    await findAgain(base, title, answer.headers.get('logbook-position') ?? '', record);
    await sleep(pauseMs);
  }
}

/** Creates entries with a file each, and downloads one of the files after each, until `signal` aborts. */
export async function share(base: string, record: DrillRecord, signal: AbortSignal): Promise<void> {
  const own: string[] = [];
  for (let n = 0; !signal.aborted; n++) {
    const [title, filename] = [newTitle(), `file${n}.txt`];
    const content = randomBytes(Math.ceil(Math.random() * maxFileBytes)).toString('base64');
    const form = entryForm({ title, logbooks, attachments: [{ filename }] }, [{ name: filename, content }]);
    const options = { method: 'PUT', body: form };
    const { body } = await sendUntilAcknowledged(`${base}/logs/multipart`, options, record);
    const { id } = body as Entry;
    record.create(id, title);
    const path = `/logs/attachments/${id}/${filename}`;
    record.files.set(path, hash('sha256', content));
    own.push(path);
    await download(base, own[Math.floor(own.length * Math.random())] ?? path, record);
    await sleep(pauseMs);
  }
}

/** Expects the bytes that were acknowledged, on whatever node the request arrives. */
async function download(base: string, path: string, record: DrillRecord): Promise<void> {
  const answer = await call(`${base}${path}`).catch(() => undefined);
  if (answer?.status !== 200) return record.refuse(describeAnswer(answer));
  record.downloads += 1;
  if (hash('sha256', answer.text) !== record.files.get(path)) record.wrongFiles.push(path);
}

/** Changes and removes tags as an administrator, until `signal` aborts. */
export async function administer(base: string, record: DrillRecord, signal: AbortSignal): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const name = `drill${n % tags}`;
    const change = n % (2 * tags + 1) === 0 ? undefined : { name, state: n % 2 === 0 ? 'Active' : 'Inactive' };
    const options = { method: change ? 'PUT' : 'DELETE', as: 'admin:adminPass', ...(change && { json: change }) };
    const answer = await call(`${base}/tags/${name}`, options).catch(() => undefined);
    if (answer?.status !== 200 && answer?.status !== 404) record.refuse(describeAnswer(answer));
    await sleep(2 * pauseMs);
  }
}

/** Expects that what was acknowledged is found, on whatever node the search arrives. */
async function findAgain(base: string, title: string, position: string, record: DrillRecord): Promise<void> {
  const headers = { 'logbook-position': position };
  const answer = await call(`${base}/logs/search?title=${title}`, { headers }).catch(() => undefined);
  if (answer?.status !== 200) return record.refuse(describeAnswer(answer));
  record.searches += 1;
  if (answer.body.hitCount !== 1) record.stale.push(title);
}

/** Follows the changes, and continues from its position on another connection, until `signal` aborts. */
export async function follow(
  base: string,
  followed: FollowedChanges,
  record: DrillRecord,
  signal: AbortSignal,
): Promise<void> {
  let position: string | undefined;
  while (!signal.aborted) {
    try {
      const reader = await ChangeReader.open(base, position === undefined ? {} : { position });
      const close = () => void reader.close();
      signal.addEventListener('abort', close, { once: true });
      if (signal.aborted) close();
      await followed.follow(reader);
      signal.removeEventListener('abort', close);
      position = reader.positionText === '' ? position : reader.positionText;
    } catch {
      // Refused, or the node has ended before the stream began.
      record.refuse('receivers: no stream');
    }
    followed.reconnects += 1;
    await sleep(retryMs);
  }
}

/** Resolves when all have begun, which they do at the newest change, or `signal` aborts. */
export async function untilFollowing(receivers: readonly FollowedChanges[], signal: AbortSignal): Promise<void> {
  while (!signal.aborted && receivers.some(({ hasBegun }) => !hasBegun)) await sleep(pauseMs);
}

/** Creates an entry, and waits until all have received it: they have received every earlier change then. */
export async function untilReceived(
  base: string,
  receivers: readonly FollowedChanges[],
  record: DrillRecord,
  signal: AbortSignal,
): Promise<void> {
  const title = newTitle();
  const options = { method: 'PUT', json: { title, logbooks } };
  const { id } = (await sendUntilAcknowledged(`${base}/logs`, options, record)).body as Entry;
  record.create(id, title);
  const endMs = performance.now() + receivedWithinMs;
  while (!signal.aborted && performance.now() < endMs && receivers.some((one) => !one.has(id))) await sleep(pauseMs);
}
