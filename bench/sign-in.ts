import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Bench } from './bench.js';
import { load } from './load.js';
import { type Line, timings } from './report.js';
import { basic, createEntry, type Evidence, signIn } from './requests.js';
import type { RunningServer } from './servers.js';

/** Users of the built-in directory, by how their password is kept. */
const directoryUsers = [
  ['SSHA', 'operator'],
  ['bcrypt', 'physicist'],
] as const;

/**
 * Sign-ins a second by scheme, each with its password checked and a session stored; and what it costs a create to tell
 * who sends it.
 */
export async function measureSignIn({ servers, program, seconds }: Bench): Promise<Line[]> {
  const lines: Line[] = [];
  const clients = 8;
  const inMemory = await load(program.origin, clients, seconds, () => signIn('user', 'userPass'));
  lines.push({ name: `POST /login, inMemory, ${clients} clients`, figure: timings(inMemory) });

  const file = join(servers.dir, 'embedded.properties');
  writeFileSync(file, 'embedded_ldap.port = 0\n');
  const asked = await servers.startProgram('sign-in-asked', {
    LOGBOOK_AUTHENTICATION_PROVIDERS: 'embeddedLdap',
    LOGBOOK_EMBEDDED_LDAP_PROPERTY_SOURCE: file,
    LOGBOOK_SIGN_IN_MEMORY: '0s',
  });
  for (const [kept, user] of directoryUsers) {
    const measured = await load(asked.origin, clients, seconds, () => signIn(user, `${user}Pass`));
    lines.push({
      name: `POST /login, embeddedLdap, ${kept}, ${clients} clients`,
      figure: timings(measured),
      ratio: `${(measured.perSecond / inMemory.perSecond).toFixed(2)} of inMemory`,
    });
  }
  const first = await load(asked.origin, 1, seconds, (index) => createEntry(index, basic('operator:operatorPass')));
  await asked.stop();

  const remembering = await servers.startProgram('sign-in-remembered', {
    LOGBOOK_AUTHENTICATION_PROVIDERS: 'embeddedLdap',
    LOGBOOK_EMBEDDED_LDAP_PROPERTY_SOURCE: file,
  });
  const session = await load(remembering.origin, 1, seconds, withEvidence(await sessionOf(remembering)));
  const against = (p50: number) => `p50 ${(p50 / session.p50).toFixed(2)} x that with a session`;
  lines.push({ name: 'PUT /logs with a session, 1 client', figure: timings(session) });
  const token = await load(remembering.origin, 1, seconds, withEvidence(await tokenOf(remembering)));
  lines.push({ name: 'PUT /logs with a token, 1 client', figure: timings(token), ratio: against(token.p50) });
  const repeated = await load(remembering.origin, 1, seconds, withEvidence(basic('operator:operatorPass')));
  lines.push(
    { name: 'PUT /logs with Basic, remembered, 1 client', figure: timings(repeated), ratio: against(repeated.p50) },
    { name: 'PUT /logs with Basic, directory asked, 1 client', figure: timings(first), ratio: against(first.p50) },
  );
  await remembering.stop();
  return lines;
}

const withEvidence = (evidence: Evidence) => (index: number) => createEntry(index, evidence);

async function sessionOf({ origin }: RunningServer): Promise<Evidence> {
  const answer = await fetch(`${origin}/logbook/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'operator', password: 'operatorPass' }),
  });
  return { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

async function tokenOf({ origin }: RunningServer): Promise<Evidence> {
  const answer = await fetch(`${origin}/logbook/tokens`, {
    method: 'POST',
    headers: { ...basic('operator:operatorPass'), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'benchmark', rights: ['entries'] }),
  });
  const { token } = (await answer.json()) as { token: string };
  return { authorization: `Bearer ${token}` };
}
