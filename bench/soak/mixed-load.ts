import { randomBytes, randomInt } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const words = ['beam', 'vacuum', 'pump', 'magnet', 'cavity', 'quench', 'shift', 'water', 'klystron', 'orbit', 'leak'];
const authorization = `Basic ${Buffer.from('user:userPass').toString('base64')}`;
const logbooks = [{ name: 'operations' }];

/** Number of times that each kind of work was done, and that it failed. */
export class Tally {
  readonly counts = new Map<string, { done: number; failed: number }>();

  record(kind: string, isDone: boolean): void {
    const count = this.counts.get(kind) ?? { done: 0, failed: 0 };
    if (isDone) count.done += 1;
    else count.failed += 1;
    this.counts.set(kind, count);
  }
}

/** Sends requests of all kinds until the signal aborts; resolves when the last has ended. */
export async function runMixedLoad(base: string, tally: Tally, stop: AbortSignal): Promise<void> {
  const ids: number[] = [];
  setMaxListeners(100, stop);
  const work: Record<string, { readonly pauseMs: number; readonly run: () => Promise<boolean> }> = {
    create: { pauseMs: 50, run: () => create(base, ids) },
    edit: { pauseMs: 150, run: () => edit(base, ids) },
    upload: { pauseMs: 500, run: () => upload(base) },
    search: { pauseMs: 40, run: () => search(base) },
    read: { pauseMs: 20, run: () => read(base, ids) },
    'sign-in': { pauseMs: 300, run: () => signIn(base) },
  };
  const loops = Object.entries(work).map(([kind, { pauseMs, run }]) =>
    repeat(stop, pauseMs, async () => tally.record(kind, await run().catch(() => false))),
  );
  const receivers = Array.from({ length: 8 }, () =>
    repeat(stop, 100, async () => tally.record('follow', await follow(base, stop).catch(() => stop.aborted))),
  );
  await Promise.all([...loops, ...receivers]);
}

async function repeat(stop: AbortSignal, pauseMs: number, work: () => Promise<void>): Promise<void> {
  while (!stop.aborted) {
    await work();
    await sleep(pauseMs, undefined, { signal: stop }).catch(() => undefined);
  }
}

const pick = <T>(list: readonly T[]): T => list[randomInt(list.length)] as T;
const someText = (length: number) => Array.from({ length }, () => `${pick(words)}${randomInt(500)}`).join(' ');

async function send(url: string, method: string, json?: object): Promise<Response> {
  return fetch(url, {
    method,
    headers: { authorization, ...(json && { 'content-type': 'application/json' }) },
    ...(json && { body: JSON.stringify(json) }),
  });
}

async function create(base: string, ids: number[]): Promise<boolean> {
  const answer = await send(`${base}/logs`, 'PUT', { title: someText(4), source: someText(80), logbooks });
  const { id } = (await answer.json()) as { id: number };
  if (!answer.ok) return false;
  ids.push(id);
  if (ids.length > 5_000) ids.shift();
  return true;
}

async function edit(base: string, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return true;
  const entry = { title: someText(4), source: someText(60), logbooks };
  const answer = await send(`${base}/logs/${pick(ids)}`, 'POST', entry);
  await answer.arrayBuffer();
  return answer.ok;
}

async function upload(base: string): Promise<boolean> {
  const entry = { title: someText(4), logbooks, attachments: [{ filename: 'notes.txt' }] };
  const form = new FormData();
  form.append('logEntry', new Blob([JSON.stringify(entry)], { type: 'application/json' }));
  form.append('files', new File([someText(500), randomBytes(8_192).toString('base64')], 'notes.txt'));
  const answer = await fetch(`${base}/logs/multipart`, { method: 'PUT', headers: { authorization }, body: form });
  await answer.arrayBuffer();
  return answer.ok;
}

async function search(base: string): Promise<boolean> {
  const text = `${pick(words)}${randomInt(2) === 0 ? '*' : randomInt(500)}`;
  const path = pick(['logs/search', 'logs/facets', 'logs']);
  const answer = await fetch(`${base}/${path}?text=${encodeURIComponent(text)}&size=20`);
  await answer.arrayBuffer();
  return answer.ok;
}

async function read(base: string, ids: readonly number[]): Promise<boolean> {
  if (ids.length === 0) return true;
  const answer = await fetch(`${base}/logs/${pick(ids)}`);
  await answer.arrayBuffer();
  return answer.ok;
}

async function signIn(base: string): Promise<boolean> {
  const answer = await fetch(`${base}/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'user', password: 'userPass' }),
  });
  await answer.arrayBuffer();
  const cookie = answer.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const signOut = await fetch(`${base}/logout`, { method: 'POST', headers: { cookie } });
  await signOut.arrayBuffer();
  return answer.ok;
}

/** Follows the changes for some seconds, and leaves. */
async function follow(base: string, stop: AbortSignal): Promise<boolean> {
  // Not AbortSignal.any: on Node 20, the signals of which it is made may be collected before they abort.
  const leave = new AbortController();
  const abort = () => leave.abort();
  const timer = setTimeout(abort, randomInt(2_000, 20_000));
  stop.addEventListener('abort', abort, { once: true });
  try {
    const answer = await fetch(`${base}/changes`, { signal: leave.signal });
    if (!answer.ok || !answer.body) return false;
    for await (const _chunk of answer.body) if (leave.signal.aborted) break;
    return leave.signal.aborted;
  } catch (error) {
    if (!leave.signal.aborted) throw error;
    return true;
  } finally {
    clearTimeout(timer);
    stop.removeEventListener('abort', abort);
  }
}
