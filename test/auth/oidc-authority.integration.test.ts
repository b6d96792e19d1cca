import { readFile, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkIssuer } from '../../src/integrations/oidc/check-issuer.js';
import { fetchWithCa } from '../../src/integrations/oidc/fetch-with-ca.js';
import { makeCertificate, type ServerCertificate } from '../directories/certificates.js';
import { listening, portOf } from '../fixtures/local-server.js';
import { silentLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';

let dir: string;
let certificate: ServerCertificate;
let server: Server;
let issuer: string;

beforeAll(async () => {
  dir = await makeTempDir();
  certificate = await makeCertificate(dir, 'localhost', '127.0.0.1');
  const [key, cert] = await Promise.all(
    [certificate.keyFile, certificate.certificateFile].map((file) => readFile(file)),
  );
  server = createServer({ key, cert }, (request, response) => void respond(request, response));
  await listening(server);
  issuer = `https://localhost:${portOf(server)}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true });
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/silent') return;
  if (request.url === '/empty') {
    response.writeHead(204).end();
    return;
  }
  response.setHeader('content-type', 'application/json');
  if (request.method === 'POST') {
    response.writeHead(201);
    response.end(JSON.stringify({ body: await text(request), authorization: request.headers.authorization }));
    return;
  }
  const at = (path: string) => `${issuer}${path}`;
  const endpoints = { authorization_endpoint: at('/auth'), token_endpoint: at('/token'), jwks_uri: at('/jwks') };
  response.end(JSON.stringify({ issuer, ...endpoints }));
}

const options = () => ({
  issuer,
  clientId: 'logbook',
  clientSecret: undefined,
  scope: 'openid',
  userClaim: 'preferred_username',
  groupsClaim: undefined,
  groupsSeparator: ',',
  signOut: true,
  timeoutMs: 60_000,
});

test('a provider with a certificate of the configured authority is trusted, and only then', async () => {
  expect(await checkIssuer({ ...options(), caCertificates: certificate.ca }, silentLog)).toMatchObject({
    isProblem: false,
  });
  expect(await checkIssuer(options(), silentLog)).toMatchObject({
    isProblem: true,
    text: expect.stringContaining('certificate'),
  });
  const otherHost = { ...options(), issuer: issuer.replace('localhost', '127.0.0.2'), caCertificates: certificate.ca };
  expect(await checkIssuer(otherHost, silentLog)).toMatchObject({ isProblem: true });
});

test('requests have their method, headers and body, and responses their status', async () => {
  const { signal } = new AbortController();
  const posted = await fetchWithCa(`${issuer}/token`, certificate.ca, {
    method: 'POST',
    body: new URLSearchParams({ code: 'x y' }),
    headers: { authorization: 'Basic abc' },
    signal,
  });
  expect(posted.status).toBe(201);
  expect(await posted.json()).toEqual({ body: 'code=x+y', authorization: 'Basic abc' });
  const empty = await fetchWithCa(`${issuer}/empty`, certificate.ca, { signal });
  expect([empty.status, await empty.text()]).toEqual([204, '']);
});

test('a request ends when its signal aborts', async () => {
  const abort = new AbortController();
  const waiting = fetchWithCa(`${issuer}/silent`, certificate.ca, { signal: abort.signal });
  abort.abort();
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
});
