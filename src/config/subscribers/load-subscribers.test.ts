import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { valueFilters } from '../../search/value-filters.js';
import { ConfigError } from '../config-error.js';
import { loadConfig } from '../load-config.js';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'logbook-test-'));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});

const load = (properties: Record<string, string>, file = '') => {
  const configFile = join(dir, 'logbook.properties');
  writeFileSync(configFile, file);
  return loadConfig({ flags: {}, properties, configFile }, {});
};
const problemsOf = (properties: Record<string, string>): readonly string[] => {
  try {
    load(properties);
    return [];
  } catch (error) {
    return (error as ConfigError).problems;
  }
};

const webhook = { kind: 'webhook', url: 'https://hook.example.org/x', secret: '0123456789abcdef' };
const chat = { kind: 'chat', url: 'https://chat.example.org/hooks/T0KEN' };
const email = { kind: 'email', smtpUrl: 'smtp://us3r:pa55@mail', smtpFrom: 'log@example.org', to: 'a@b.org, c@d.org' };
const of = (name: string, keys: object) =>
  Object.fromEntries(Object.entries(keys).map(([key, value]) => [`subscriber.${name}.${key}`, value as string]));

test('subscribers come from the file and from -D, which wins; each has its own values and the defaults', () => {
  const file = `
    subscriber.shift.kind = chat
    subscriber.shift.url = https://chat.example.org/old
    subscriber.shift.search = level=Problem&logbooks=operations&logbooks=vacuum+pumps
  `;
  const { options } = load({ ...of('shift', { url: chat.url }), ...of('mail', email), ...of('hook', webhook) }, file);
  expect(options.subscribers).toEqual([
    {
      name: 'hook',
      kind: 'webhook',
      search: {},
      events: ['created'],
      url: new URL(webhook.url),
      secret: webhook.secret,
      allowAddresses: [],
      allowPrivateAddresses: false,
      batchWindowSeconds: 1,
      timeoutSeconds: 10,
      initialRetryDelaySeconds: 1,
      maxRetryDelaySeconds: 600,
      maxDeliveryAgeSeconds: 86_400,
    },
    expect.objectContaining({ name: 'mail', kind: 'email', to: ['a@b.org', 'c@d.org'], batchWindowSeconds: 10 }),
    expect.objectContaining({
      name: 'shift',
      url: new URL(chat.url),
      search: { level: ['Problem'], logbooks: ['operations', 'vacuum pumps'] },
    }),
  ]);
});

test.each(Object.values(valueFilters).flatMap(({ parameters }): readonly string[] => parameters))(
  'a search of a subscriber may have the parameter %s',
  (name) => {
    expect(problemsOf(of('x', { ...webhook, search: `${name}=2024` }))).toEqual([]);
  },
);

test('the printed configuration names the origin of each value, and contains no secret', () => {
  const { lines } = load({ ...of('shift', chat), ...of('mail', email), ...of('hook', webhook) });
  expect(lines).toContain('subscriber.hook.kind = webhook  # -Dsubscriber.hook.kind');
  expect(lines).toContain('subscriber.hook.secret = ********  # -Dsubscriber.hook.secret');
  expect(lines).toContain('subscriber.mail.batchWindowSeconds = 10  # default');
  expect(lines.join('\n')).not.toMatch(/T0KEN|pa55|us3r|0123456789abcdef/);
});

test.each<[problem: RegExp, keys: Record<string, string>]>([
  [/^subscriber\.x\.kind is missing/, of('x', { search: '' })],
  [/kind is “pigeon”; it must be one of webhook, email, chat/, of('x', { kind: 'pigeon' })],
  [/^-Dsubscriber\.x: it must look like/, { 'subscriber.x': 'webhook' }],
  [/^-Dsubscriber\.a b\.kind: it must look like/, of('a b', webhook)],
  [/^-Dsubscriber\.-x\.kind: it must look like/, of('-x', { kind: 'chat' })],
  [/unknown key of a subscriber; the keys are kind, search/, of('x', { ...webhook, uri: 'x' })],
  [/unknown key/, of('x', { ...webhook, constructor: 'x' })],
  [/a subscriber of kind webhook has no smtpUrl/, of('x', { ...webhook, smtpUrl: 'smtp://x' })],
  [/a subscriber of kind email has no url/, of('x', { ...email, url: 'http://x' })],
  [/^subscriber\.x\.url is missing/, of('x', { ...webhook, url: '' })],
  [/^subscriber\.x\.secret is missing/, of('x', { ...webhook, secret: '' })],
  [/^-Dsubscriber\.x\.secret: it must have at least 16 characters/, of('x', { ...webhook, secret: 'short' })],
  [/^-Dsubscriber\.x\.url: it must look like https:/, of('x', { ...webhook, url: 'file:///etc/passwd' })],
  [/^-Dsubscriber\.x\.url: it must not contain a fragment/, of('x', { ...webhook, url: 'https://x/#y' })],
  [/^-Dsubscriber\.x\.url: a % in the user/, of('x', { ...webhook, url: 'https://u:%@x/' })],
  [/^-Dsubscriber\.x\.smtpUrl: it must look like smtp:/, of('x', { ...email, smtpUrl: 'mail.example.org' })],
  [/^-Dsubscriber\.x\.smtpUrl: it must end after/, of('x', { ...email, smtpUrl: 'smtp://x/y?z' })],
  [/to is “”|to is missing/, of('x', { ...email, to: '' })],
  [/to is “a@b\.org, nobody”; it must be an address/, of('x', { ...email, to: 'a@b.org, nobody' })],
  [/to is .*; it must be an address/s, of('x', { ...email, to: 'a@b.org\r\nBcc: c@d.org' })],
  [/smtpFrom is .*; it must be an address/, of('x', { ...email, smtpFrom: 'Log <a@b>, <c@d>' })],
  [/smtpFrom is .*; it must be an address/, of('x', { ...email, smtpFrom: 'Log <nobody>' })],
  [/smtpFrom is .*; the name before the address/, of('x', { ...email, smtpFrom: 'Log\u0085 <a@b.org>' })],
  [/caFile is .*; file not found/, of('x', { ...email, caFile: 'gone.pem' })],
  [/search is “levl=Problem”; “levl” does not select/, of('x', { ...webhook, search: 'levl=Problem' })],
  [/search is “size=3”; “size” does not select/, of('x', { ...webhook, search: 'size=3' })],
  [/search is “start=never”/, of('x', { ...webhook, search: 'start=never' })],
  [/search is “title="x”/, of('x', { ...webhook, search: 'title="x' })],
  [/events is “deleted”; each must be one of/, of('x', { ...webhook, events: 'deleted' })],
  [/events is “,”; it must name at least one/, of('x', { ...webhook, events: ',' })],
  [/allowAddresses is “localhost”; each must be/, of('x', { ...webhook, allowAddresses: 'localhost' })],
  [/allowAddresses is “10\.0\.0\.0\/33”/, of('x', { ...webhook, allowAddresses: '10.0.0.0/33' })],
  [/allowPrivateAddresses is “yes”/, of('x', { ...webhook, allowPrivateAddresses: 'yes' })],
  [/batchWindowSeconds is “-1”/, of('x', { ...webhook, batchWindowSeconds: '-1' })],
  [/timeoutSeconds is “0”/, of('x', { ...webhook, timeoutSeconds: '0' })],
  [/initialRetryDelaySeconds is “1s”/, of('x', { ...webhook, initialRetryDelaySeconds: '1s' })],
])('%s', (problem, keys) => {
  expect(problemsOf(keys)).toContainEqual(expect.stringMatching(problem));
});

test.each([
  ['Logbook <log@b.org>', '"Logbook" <log@b.org>'],
  ['"Log, book" <log@b.org>', '"Log, book" <log@b.org>'],
  ['<log@b.org>', 'log@b.org'],
  ['log@b.org', 'log@b.org'],
])('the sender %s is %s', (smtpFrom, sender) => {
  const commandLine = { flags: {}, properties: of('x', { ...email, smtpFrom }), configFile: undefined };
  expect(loadConfig(commandLine, {}).options.subscribers).toEqual([expect.objectContaining({ smtpFrom: sender })]);
});

test('all problems are reported together, including those of other settings', () => {
  const problems = problemsOf({ httpPort: 'x', ...of('a', { kind: 'chat' }), ...of('b', { ...email, to: 'nobody' }) });
  expect(problems).toEqual([
    expect.stringMatching(/^-DhttpPort/),
    expect.stringMatching(/^subscriber\.a\.url is missing/),
    expect.stringMatching(/^-Dsubscriber\.b\.to/),
  ]);
});

test('environment variables cannot configure subscribers', () => {
  const commandLine = { flags: {}, properties: {}, configFile: undefined };
  const environment = { LOGBOOK_SUBSCRIBER_X_KIND: 'chat' };
  expect(() => loadConfig(commandLine, environment)).toThrow(ConfigError);
});
