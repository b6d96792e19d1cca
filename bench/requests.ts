import { randomBytes } from 'node:crypto';
import type { Request } from './load.js';

const boundary = 'logbook-benchmark-boundary';
const authorization = `Basic ${Buffer.from('user:userPass').toString('base64')}`;
const words =
  'beam current after the refill was lower than expected so injection stopped and the kicker voltage came down a little while vacuum in the straight section stayed good operator on shift called expert who found a loose cable at the power supply and tightened it again'.split(
    ' ',
  );

export function getEntry(id: number): Request {
  return { method: 'GET', path: `/logbook/logs/${id}`, headers: {}, body: [] };
}

/** A search for one of the words of the generated entries. */
export function searchEntries(index: number): Request {
  return searchFor(words[index % words.length] ?? '');
}

export function searchFor(text: string): Request {
  return { method: 'GET', path: `/logbook/logs/search?text=${text}&size=20`, headers: {}, body: [] };
}

/** A new entry of about 80 words; each is a little different. */
export function createEntry(index: number, credentials: RequestCredentials = { authorization }): Request {
  return withBody('/logbook/logs', 'application/json', [Buffer.from(JSON.stringify(entry(index)))], 'PUT', credentials);
}

/** Returns the request by which a client creates this entry. */
export function putEntry(entry: object): Request {
  return withBody('/logbook/logs', 'application/json', [Buffer.from(JSON.stringify(entry))]);
}

/** Opens a run. */
export function openRun(): Request {
  const run = { title: 'Scan', logbooks: [{ name: 'operations' }] };
  return withBody('/logbook/logs?run=true', 'application/json', [Buffer.from(JSON.stringify(run))]);
}

/** A block of 200 characters. Each block is a little different. */
export function appendBlock(entryId: number, sequence: number): Request {
  const text = Array.from({ length: 40 }, (_, at) => words[(sequence * 7 + at) % words.length]).join(' ');
  const block = { text: `Point ${sequence}: ${text}`.slice(0, 200) };
  const path = `/logbook/logs/${entryId}/blocks/${sequence}`;
  return withBody(path, 'application/json', [Buffer.from(JSON.stringify(block))]);
}

/** Headers that identify the sender. */
export type RequestCredentials = Readonly<Record<string, string>>;

export const basic = (user: string): RequestCredentials => ({
  authorization: `Basic ${Buffer.from(user).toString('base64')}`,
});

/** @param from the client address, as a proxy would forward it */
export function signIn(username: string, password: string, from: string): Request {
  const body = [Buffer.from(JSON.stringify({ username, password }))];
  return withBody('/logbook/login', 'application/json', body, 'POST', { 'x-forwarded-for': from });
}

/** A new entry with files. Only the first bytes differ, so that every file is new. */
export function createEntryWithFiles(index: number, files: number, content: Buffer): Request {
  const names = Array.from({ length: files }, (_, file) => `trace-${index}-${file}.bin`);
  const attachments = names.map((filename) => ({ filename }));
  return withBody('/logbook/logs/multipart', `multipart/form-data; boundary=${boundary}`, [
    partHead('name="logEntry"', 'application/json'),
    Buffer.from(JSON.stringify({ ...entry(index), attachments })),
    ...names.flatMap((filename) => [
      partHead(`name="files"; filename="${filename}"`, 'application/octet-stream'),
      randomBytes(16),
      content,
    ]),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
}

function withBody(
  path: string,
  contentType: string,
  body: readonly Buffer[],
  method = 'PUT',
  credentials: RequestCredentials = { authorization },
): Request {
  const length = body.reduce((sum, chunk) => sum + chunk.length, 0);
  return {
    method,
    path,
    headers: { ...credentials, 'content-type': contentType, 'content-length': String(length) },
    body,
  };
}

function partHead(disposition: string, contentType: string): Buffer {
  return Buffer.from(
    `\r\n--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${contentType}\r\n\r\n`,
  );
}

function entry(index: number): object {
  const text = Array.from({ length: 80 }, (_, at) => words[(index * 7 + at * (1 + (index % 5))) % words.length]);
  return {
    title: `Shift report ${index}`,
    source: `${text.join(' ')}. Reading ${index % 977} at SR:C${index % 30}-MG:G02A{Quad:${index % 8}}.`,
    level: 'Info',
    logbooks: [{ name: 'operations' }],
    tags: [{ name: 'alarm' }],
    properties: [{ name: 'resource', attributes: [{ name: 'name', value: `device ${index % 50}` }] }],
  };
}
