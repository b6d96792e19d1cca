import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.js';
import { type Account, type DirectoryServer, directoryServers } from './directories.js';
import type { Measured } from './latencies.js';
import { load } from './load.js';
import { type Line, timings } from './report.js';
import { basic, createEntry, type RequestCredentials, signIn } from './requests.js';
import type { RunningServer } from './servers.js';

const clients = 8;

/** Users of the built-in directory, by how their password is stored. */
const directoryUsers = [
  ['SSHA', 'operator'],
  ['bcrypt', 'physicist'],
] as const;

/**
 * Measures sign-ins per second by scheme, each with a password check and a stored session, and how much authentication
 * adds to a create.
 */
export async function measureSignIn(bench: Bench): Promise<Line[]> {
  const { servers, seconds } = bench;
  const inMemory = await measureLogins(bench, {}, { userName: 'user', password: 'userPass' });
  const lines: Line[] = [{ name: loginsBy('inMemory'), figure: timings(inMemory) }];
  const add = (name: string, measured: Measured) => {
    const ratio = `${(measured.perSecond / inMemory.perSecond).toFixed(2)} of inMemory`;
    lines.push({ name: loginsBy(name), figure: timings(measured), ratio });
  };

  const file = join(servers.dir, 'embedded.properties');
  writeFileSync(file, 'embedded_ldap.port = 0\n');
  const embedded = {
    LOGBOOK_AUTHENTICATION_PROVIDERS: 'embeddedLdap',
    LOGBOOK_EMBEDDED_LDAP_PROPERTY_SOURCE: file,
  };
  for (const [kept, userName] of directoryUsers) {
    const account = { userName, password: `${userName}Pass` };
    add(`embeddedLdap, ${kept}`, await measureLogins(bench, embedded, account));
  }
  for (const server of directoryServers) {
    const name = `${server.scheme}, ${server.name}`;
    if (server.missing === '') add(name, await measureDirectory(bench, server));
    else lines.push({ name: loginsBy(name), figure: `skipped: ${server.missing}` });
  }

  const asked = await servers.startProgram('sign-in-asked', { ...embedded, LOGBOOK_CREDENTIAL_CACHE_TTL: '0s' });
  const first = await load(asked.origin, 1, seconds, withCredentials(basic('operator:operatorPass')));
  await asked.stop();
  const remembering = await servers.startProgram('sign-in-remembered', embedded);
  const session = await load(remembering.origin, 1, seconds, withCredentials(await sessionOf(remembering)));
  const against = (p50: number) => `p50 ${(p50 / session.p50).toFixed(2)} x that with a session`;
  lines.push({ name: 'PUT /logs with a session, 1 client', figure: timings(session) });
  const token = await load(remembering.origin, 1, seconds, withCredentials(await tokenOf(remembering)));
  lines.push({ name: 'PUT /logs with a token, 1 client', figure: timings(token), ratio: against(token.p50) });
  const repeated = await load(remembering.origin, 1, seconds, withCredentials(basic('operator:operatorPass')));
  lines.push(
    { name: 'PUT /logs with Basic, remembered, 1 client', figure: timings(repeated), ratio: against(repeated.p50) },
    { name: 'PUT /logs with Basic, directory asked, 1 client', figure: timings(first), ratio: against(first.p50) },
  );
  await remembering.stop();
  return lines;
}

const loginsBy = (scheme: string) => `POST /login, ${scheme}, ${clients} clients`;

/** Each sign-in has another client address: with the same one, they would share one directory request. */
async function measureLogins(
  { servers, seconds }: Bench,
  settings: Readonly<Record<string, string>>,
  { userName, password }: Account,
): Promise<Measured> {
  const program = await servers.startProgram('sign-in', {
    ...settings,
    LOGBOOK_CREDENTIAL_CACHE_TTL: '0s',
    LOGBOOK_TRUSTED_PROXIES: '127.0.0.1',
  });
  const request = (index: number) => signIn(userName, password, `192.0.2.${1 + (index % 250)}`);
  const measured = await load(program.origin, clients, seconds, request);
  await program.stop();
  return measured;
}

async function measureDirectory(bench: Bench, { scheme, sourceVariable, start }: DirectoryServer): Promise<Measured> {
  const { properties, account, stop } = await start();
  try {
    const file = join(bench.servers.dir, `${scheme}.properties`);
    const lines = Object.entries(properties).map(([key, value]) => `${key} = ${value}\n`);
    writeFileSync(file, lines.join(''));
    return await measureLogins(bench, { LOGBOOK_AUTHENTICATION_PROVIDERS: scheme, [sourceVariable]: file }, account);
  } finally {
    await stop();
  }
}

const withCredentials = (credentials: RequestCredentials) => (index: number) => createEntry(index, credentials);

async function sessionOf({ origin }: RunningServer): Promise<RequestCredentials> {
  const answer = await fetch(`${origin}/logbook/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'operatorPass' }),
  });
  return { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

/** Returns the credentials of a program to which a user gives a token. */
export async function tokenOf({ origin }: RunningServer, user = 'operator:operatorPass'): Promise<RequestCredentials> {
  const answer = await fetch(`${origin}/logbook/tokens`, {
    method: 'POST',
    headers: { ...basic(user), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'benchmark', rights: ['entries'] }),
  });
  const { token } = (await answer.json()) as { token: string };
  return { authorization: `Bearer ${token}` };
}
