import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry } from '../../src/entries/entry.js';
import { ChangeReader } from '../fixtures/change-reader.js';
import { type Answer, type CallOptions, call } from '../fixtures/service.js';
import type { DrillRecord, FollowedChanges } from './drill-record.js';

const retryMs = 100;
const pauseMs = 20;
const logbooks = [{ name: 'operations' }];

/** Sends a write until it is acknowledged, with one key: it may have been stored when its answer was lost. */
async function sendUntilAcknowledged(url: string, options: CallOptions, record: DrillRecord): Promise<Answer> {
  const headers = { 'idempotency-key': randomUUID() };
  for (;;) {
    const answer = await call(url, { ...options, headers }).catch(() => undefined);
    if (answer?.status === 200) return answer;
    record.refuse(answer ? `${answer.status} ${answer.body?.code ?? ''}` : 'no answer');
    if (answer && answer.status < 500 && answer.status !== 429) throw new Error(`${url} got ${answer.text}`);
    await sleep(retryMs);
  }
}

/** Creates and edits entries of its own, and searches for each of them, until `signal` aborts. */
export async function write(base: string, record: DrillRecord, signal: AbortSignal): Promise<void> {
  let latest: Entry | undefined;
  for (let n = 0; !signal.aborted; n++) {
    const title = `w${randomUUID().replaceAll('-', '')}`;
    const isEdit = latest !== undefined && n % 3 === 0;
    const path = isEdit ? `/logs/${latest?.id}` : '/logs';
    const options = { method: isEdit ? 'POST' : 'PUT', json: { title, logbooks } };
    const answer = await sendUntilAcknowledged(`${base}${path}`, options, record);
    const { id } = answer.body as Entry;
    latest = answer.body as Entry;
    if (!isEdit) record.created.set(title, id);
    record.edits.set(id, isEdit ? (record.edits.get(id) ?? 0) + 1 : 0);
    record.titles.set(id, title);
    await findAgain(base, title, answer.headers.get('logbook-position') ?? '', record);
    await sleep(pauseMs);
  }
}

/** Expects that what was acknowledged is found, on whatever node the search arrives. */
async function findAgain(base: string, title: string, position: string, record: DrillRecord): Promise<void> {
  const headers = { 'logbook-position': position };
  const answer = await call(`${base}/logs/search?title=${title}`, { headers }).catch(() => undefined);
  record.searches += 1;
  if (answer?.status !== 200) record.refuse(answer ? `${answer.status} ${answer.body?.code ?? ''}` : 'no answer');
  else if (answer.body.hitCount !== 1) record.stale.push(title);
}

/** Follows the changes, and goes on from its position on another connection, until `signal` aborts. */
export async function follow(base: string, followed: FollowedChanges, signal: AbortSignal): Promise<void> {
  let position: string | undefined;
  while (!signal.aborted) {
    try {
      const reader = await ChangeReader.open(base, position === undefined ? {} : { position });
      const close = () => void reader.close();
      signal.addEventListener('abort', close, { once: true });
      await reader.ended;
      signal.removeEventListener('abort', close);
      for (const { data } of reader.changes) followed.received.push(data);
      position = reader.positionText === '' ? position : reader.positionText;
    } catch {
      // Refused, or the node has ended before the stream began.
    }
    followed.reconnects += 1;
    await sleep(retryMs);
  }
}
