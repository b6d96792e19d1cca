import { expect, test } from 'vitest';
import { takeSockets } from './take-sockets.js';

const both = { httpPort: 8080, httpsPort: 8181 };
const passed = (LISTEN_FDS: string, LISTEN_FDNAMES?: string, LISTEN_PID = '7'): NodeJS.ProcessEnv => ({
  LISTEN_PID,
  LISTEN_FDS,
  ...(LISTEN_FDNAMES === undefined ? {} : { LISTEN_FDNAMES }),
});

test('takes the sockets by their names, in any order, and hides them from child processes', () => {
  const env = { ...passed('2', 'https:http'), PATH: '/bin' };
  expect(takeSockets(both, env, 7)).toEqual({ https: 3, http: 4 });
  expect(env).toEqual({ PATH: '/bin' });
});

test('takes no socket that is for another process, and none if systemd passes none', () => {
  expect(takeSockets(both, passed('1', 'http', '8'), 7)).toEqual({});
  expect(takeSockets(both, {}, 7)).toEqual({});
  expect(takeSockets(both, passed('0', ''), 7)).toEqual({});
});

test.each([
  ['another name', both, passed('2', 'http:logbook.socket'), 'the name “logbook.socket”, which no listener has'],
  ['no name', both, passed('1'), 'FileDescriptorName='],
  ['a name twice', both, passed('2', 'http:http'), 'the name “http”, and another one'],
  ['a listener that is off', { ...both, httpsPort: 'off' as const }, passed('1', 'https'), 'httpsPort is off'],
])('refuses a socket with %s', (_, ports, env, problem) => {
  expect(() => takeSockets(ports, env, 7)).toThrow(problem);
});
