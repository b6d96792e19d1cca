import { expect, test } from 'vitest';
import { clientOf, describeClient } from './client.js';

test('a user who is signed in is a client wherever they are; anybody else is the network of their address', () => {
  const of = (userName: string | undefined, ip: string) => clientOf(userName, { ip });
  expect(of('jane', '192.0.2.1')).toBe(of('jane', '192.0.2.2'));
  expect(of('jane', '192.0.2.1')).not.toBe(of('joe', '192.0.2.1'));
  expect(of(undefined, '2001:db8:0:1::1')).toBe(of(undefined, '2001:db8:0:1::2'));
  expect(of(undefined, '2001:db8:0:1::1')).not.toBe(of(undefined, '2001:db8:0:2::1'));
});

test('a request whose client has disconnected has no address, and is still attributed to a client', () => {
  expect(clientOf(undefined, { ip: undefined } as never)).toBe('address unknown');
});

test('messages name a user or an address', () => {
  expect(describeClient(clientOf('jane', { ip: '192.0.2.1' }))).toBe('user “jane”');
  expect(describeClient(clientOf(undefined, { ip: '192.0.2.1' }))).toBe('the address 192.0.2.1');
});
